UNWIND [['12 Oak St','Springfield',3,250000,'2021-05-01',true],['7 Elm Ave','Springfield',2,180000,'2022-03-10',false],['99 Lake Rd','Shelbyville',5,720000,'2020-09-09',true],['3 Hill Ct','Ogdenville',4,310000,null,false]] AS r MERGE (c:City {name:r[1]}) CREATE (:Property {address:r[0],bedrooms:r[2],askingPrice:r[3],soldOn:date(r[4]),hasPool:r[5]})-[:LOCATED_IN]->(c)
WITH count(*) AS d
UNWIND [['Hana Ito','Prime Homes'],['Ivo Jansen','Prime Homes'],['Kay Lund','Key Realty']] AS r MERGE (g:Agency {name:r[1]}) CREATE (:Agent {name:r[0]})-[:WORKS_FOR]->(g)
WITH count(*) AS d
UNWIND [['Hana Ito','12 Oak St'],['Hana Ito','99 Lake Rd'],['Ivo Jansen','7 Elm Ave'],['Kay Lund','3 Hill Ct']] AS r MATCH (a:Agent {name:r[0]}),(p:Property {address:r[1]}) CREATE (a)-[:LISTS]->(p)
WITH count(*) AS d
UNWIND [['Moe Nash','12 Oak St',245000],['Ora Penn','7 Elm Ave',181000],['Moe Nash','99 Lake Rd',700000]] AS r MATCH (p:Property {address:r[1]}) MERGE (b:Buyer {name:r[0]}) CREATE (b)-[:BOUGHT {price:r[2]}]->(p);
