UNWIND [['ATL','Hartsfield','Atlanta','US',5,12390],['LHR','Heathrow','London','UK',2,12799],['LGW','Gatwick','London','UK',1,10879],['CDG','Charles de Gaulle','Paris','FR',4,13829],['JFK','John F. Kennedy','New York','US',4,14511],['TXL','Tegel','Berlin','DE',2,9918]] AS r
CREATE (:Airport {iata:r[0],descr:r[1],city:r[2],runways:r[4],longest:r[5]})
WITH count(*) AS d
UNWIND [['US','United States'],['UK','United Kingdom'],['FR','France'],['DE','Germany']] AS r CREATE (:Country {code:r[0],desc:r[1]})
WITH count(*) AS d
UNWIND [['ATL','US'],['LHR','UK'],['LGW','UK'],['CDG','FR'],['JFK','US'],['TXL','DE']] AS r MATCH (a:Airport {iata:r[0]}),(c:Country {code:r[1]}) CREATE (a)-[:IN_COUNTRY]->(c)
WITH count(*) AS d
UNWIND [['ATL','LHR',4216],['LHR','CDG',216],['LHR','JFK',3451],['CDG','TXL',523],['JFK','LHR',3451],['ATL','JFK',759]] AS r MATCH (a:Airport {iata:r[0]}),(b:Airport {iata:r[1]}) CREATE (a)-[:HAS_ROUTE {distance:r[2]}]->(b);
