UNWIND [['Algebra I','MATH101',4],['Geometry','MATH102',3],['World History','HIST201',3],['Biology','BIO110',4]] AS r CREATE (:Course {title:r[0],code:r[1],credits:r[2]});
UNWIND [['Mr. Gray','Mathematics',2005],['Ms. Stone','History',2012],['Dr. Fern','Science',1999]] AS r CREATE (:Teacher {name:r[0],department:r[1],hired:r[2]});
UNWIND [['Lea Moon',9,'2009-04-01'],['Max Sun',10,'2008-02-12'],['Zoe Star',9,'2009-11-30'],['Ian Cloud',11,'2007-07-07']] AS r CREATE (:Student {name:r[0],grade:r[1],dateOfBirth:date(r[2])});
UNWIND [['Mr. Gray','MATH101'],['Mr. Gray','MATH102'],['Ms. Stone','HIST201'],['Dr. Fern','BIO110']] AS r MATCH (t:Teacher {name:r[0]}),(c:Course {code:r[1]}) CREATE (t)-[:TEACHES]->(c);
UNWIND [['Lea Moon','MATH101',91],['Lea Moon','BIO110',78],['Max Sun','MATH101',65],['Max Sun','HIST201',88],['Zoe Star','BIO110',95],['Ian Cloud','MATH102',70]] AS r MATCH (s:Student {name:r[0]}),(c:Course {code:r[1]}) CREATE (s)-[:ENROLLED_IN {score:r[2],term:'Fall'}]->(c);
MATCH (a:Student {name:'Lea Moon'}),(b:Student {name:'Zoe Star'}) CREATE (a)-[:FRIEND_OF]->(b);
