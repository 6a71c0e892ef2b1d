UNWIND [['C1','Ana Ruiz',false],['C2','Bo Lind',false],['C3','Cy Mann',true]] AS r CREATE (:Client {id:r[0],name:r[1],fraudster:r[2]});
UNWIND [['555-1','C1'],['555-2','C2'],['555-2','C3']] AS r MERGE (p:Phone {phoneNumber:r[0]}) WITH p,r MATCH (c:Client {id:r[1]}) CREATE (c)-[:HAS_PHONE]->(p);
UNWIND [['ana@x.org','C1'],['bo@x.org','C2'],['cy@x.org','C3']] AS r MERGE (p:Email {email:r[0]}) WITH p,r MATCH (c:Client {id:r[1]}) CREATE (c)-[:HAS_EMAIL]->(p);
UNWIND [['B1','First Bank'],['B2','Second Bank']] AS r CREATE (:Bank {id:r[0],name:r[1]});
UNWIND [['M1','Shoe Shop'],['M2','Book Barn']] AS r CREATE (:Merchant {id:r[0],name:r[1]});
UNWIND [['T1','C1','M1',120.0,'2024-05-01',false,'Payment'],['T2','C2','M2',35.5,'2024-05-02',false,'Payment'],['T3','C3','M1',990.0,'2024-05-03',true,'Payment'],['T4','C3','M2',15.0,'2024-06-01',false,'Payment']] AS r MATCH (c:Client {id:r[1]}),(m:Merchant {id:r[2]}) CREATE (c)-[:PERFORMED]->(t:Transaction:Payment {id:r[0],amount:r[3],date:date(r[4]),fraud:r[5]})-[:TO]->(m);
UNWIND [['T5','C2','C3',400.0,'2024-06-05'],['T6','C3','C1',50.0,'2024-06-07']] AS r MATCH (c:Client {id:r[1]}),(m:Client {id:r[2]}) CREATE (c)-[:PERFORMED]->(t:Transaction:Transfer {id:r[0],amount:r[3],date:date(r[4]),fraud:false})-[:TO]->(m);
