UNWIND [['Espresso Machine',299.0,12,'Kitchen'],['Kettle',39.5,80,'Kitchen'],['Desk Lamp',24.9,0,'Office'],['Office Chair',189.0,7,'Office'],['Yoga Mat',19.9,55,'Sports']] AS r MERGE (c:Category {name:r[3]}) CREATE (:Product {name:r[0],price:r[1],stock:r[2]})-[:BELONGS_TO]->(c)
WITH count(*) AS d
UNWIND [['Ella Park','ella@x.org','Dublin','Gold'],['Finn Roe','finn@x.org','Cork','Silver'],['Gwen Tal','gwen@x.org','Dublin','Bronze']] AS r CREATE (:Customer {name:r[0],email:r[1],city:r[2],tier:r[3]})
WITH count(*) AS d
UNWIND [['A-1','2024-01-05','shipped','Ella Park',[['Kettle',2],['Desk Lamp',1]]],['A-2','2024-02-10','cancelled','Finn Roe',[['Office Chair',1]]],['A-3','2024-03-15','shipped','Ella Park',[['Espresso Machine',1]]],['A-4','2024-03-20','pending','Gwen Tal',[['Yoga Mat',3],['Kettle',1]]]] AS r
MATCH (c:Customer {name:r[3]}) CREATE (c)-[:PLACED]->(o:Order {number:r[0],date:date(r[1]),status:r[2]}) WITH o,r UNWIND r[4] AS i MATCH (p:Product {name:i[0]}) CREATE (o)-[:CONTAINS {quantity:i[1]}]->(p)
WITH count(*) AS d
UNWIND [['Ella Park','Kettle',5,'Boils fast'],['Gwen Tal','Kettle',3,'A bit loud'],['Ella Park','Espresso Machine',4,'Great crema']] AS r MATCH (c:Customer {name:r[0]}),(p:Product {name:r[1]}) CREATE (c)-[:WROTE]->(:Review {stars:r[2],comment:r[3]})-[:ABOUT]->(p);
