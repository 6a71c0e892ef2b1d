UNWIND [['alice',1200,'2015-02-03'],['bob',300,'2018-07-01'],['carol',5400,'2012-01-15'],['dave',10,'2020-11-11']] AS r CREATE (:User {display_name:r[0],reputation:r[1],joined:date(r[2])})
WITH count(*) AS d
UNWIND ['python','neo4j','cypher','java'] AS t CREATE (:Tag {name:t})
WITH count(*) AS d
UNWIND [[1,'How to merge nodes?','2019-03-01',150,5,'alice',['neo4j','cypher']],[2,'Why is my loop slow?','2020-06-10',900,12,'bob',['python']],[3,'What is a driver?','2021-01-20',40,0,'bob',['neo4j','java']],[4,'Lists or tuples?','2018-09-09',2000,30,'dave',['python']]] AS r
MATCH (u:User {display_name:r[5]}) CREATE (u)-[:ASKED]->(q:Question {question_id:r[0],title:r[1],created:date(r[2]),view_count:r[3],score:r[4]})
WITH q,r UNWIND r[6] AS t MATCH (g:Tag {name:t}) CREATE (q)-[:TAGGED]->(g)
WITH count(*) AS d
UNWIND [[11,1,'carol',8,true],[12,2,'carol',20,true],[13,2,'alice',3,false],[14,4,'carol',50,true],[15,4,'bob',1,false]] AS r
MATCH (q:Question {question_id:r[1]}),(u:User {display_name:r[2]}) CREATE (u)-[:PROVIDED]->(a:Answer {answer_id:r[0],score:r[3],is_accepted:r[4]})-[:ANSWERED]->(q);
