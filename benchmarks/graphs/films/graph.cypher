UNWIND [['The Matrix',1999,'Welcome to the Real World'],['Top Gun',1986,'I feel the need'],['Cast Away',2000,'At the edge of the world'],['Apollo 13',1995,'Houston, we have a problem'],['You\'ve Got Mail',1998,'At odds in life'],['The Da Vinci Code',2006,'Break The Codes']] AS r
CREATE (:Movie {title:r[0],released:r[1],tagline:r[2]})
WITH count(*) AS d
UNWIND [['Keanu Reeves',1964],['Tom Hanks',1956],['Tom Cruise',1962],['Meg Ryan',1961],['Ron Howard',1954],['Nora Ephron',1941],['Kelly McGillis',1957],['Lana Wachowski',1965],['Robert Zemeckis',1951],['Jessica Thompson',null],['Angela Scope',null]] AS r
CREATE (:Person {name:r[0],born:r[1]})
WITH count(*) AS d
UNWIND [['Keanu Reeves','The Matrix','Neo'],['Tom Hanks','Cast Away','Chuck Noland'],['Tom Hanks','Apollo 13','Jim Lovell'],['Tom Hanks','You\'ve Got Mail','Joe Fox'],['Tom Hanks','The Da Vinci Code','Dr. Robert Langdon'],['Meg Ryan','You\'ve Got Mail','Kathleen Kelly'],['Meg Ryan','Top Gun','Carole'],['Tom Cruise','Top Gun','Maverick'],['Kelly McGillis','Top Gun','Charlie']] AS r
MATCH (p:Person {name:r[0]}),(m:Movie {title:r[1]}) CREATE (p)-[:ACTED_IN {roles:[r[2]]}]->(m)
WITH count(*) AS d
UNWIND [['Lana Wachowski','The Matrix'],['Ron Howard','Apollo 13'],['Ron Howard','The Da Vinci Code'],['Nora Ephron','You\'ve Got Mail'],['Robert Zemeckis','Cast Away']] AS r
MATCH (p:Person {name:r[0]}),(m:Movie {title:r[1]}) CREATE (p)-[:DIRECTED]->(m)
WITH count(*) AS d
UNWIND [['Jessica Thompson','The Da Vinci Code',68,'A solid romp'],['Jessica Thompson','Cast Away',85,'You had me at Jerry'],['Angela Scope','Apollo 13',92,'Pretty good']] AS r
MATCH (p:Person {name:r[0]}),(m:Movie {title:r[1]}) CREATE (p)-[:REVIEWED {rating:r[2],summary:r[3]}]->(m)
WITH count(*) AS d
MATCH (a:Person {name:'Jessica Thompson'}),(b:Person {name:'Angela Scope'}) CREATE (b)-[:FOLLOWS]->(a);
