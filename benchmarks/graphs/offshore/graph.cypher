UNWIND [['ACME HOLDINGS LTD','BVI','2001-05-04','Active'],['BLUE OCEAN INC.','Panama','1998-02-11','Defaulted'],['CORAL TRADING SA','Panama','2006-09-30','Active'],['DELTA VENTURES','Seychelles','2010-01-01','Struck off']] AS r CREATE (:Entity {name:r[0],jurisdiction:r[1],incorporation_date:date(r[2]),status:r[3]})
WITH count(*) AS d
UNWIND [['John Smith','United Kingdom'],['Maria Lopez','Spain'],['Wei Chen','China'],['Anna Novak','Spain']] AS r CREATE (:Officer {name:r[0],country:r[1]})
WITH count(*) AS d
UNWIND [['MOSSACK & CO','Panama'],['HARBOUR LAW','Jersey']] AS r CREATE (:Intermediary {name:r[0],country:r[1]})
WITH count(*) AS d
UNWIND [['12 High Street, London','United Kingdom'],['Calle Mayor 3, Madrid','Spain']] AS r CREATE (:Address {address:r[0],country:r[1]})
WITH count(*) AS d
UNWIND [['John Smith','ACME HOLDINGS LTD','director'],['John Smith','BLUE OCEAN INC.','shareholder'],['Maria Lopez','BLUE OCEAN INC.','director'],['Wei Chen','CORAL TRADING SA','beneficiary'],['Maria Lopez','CORAL TRADING SA','shareholder'],['Anna Novak','DELTA VENTURES','director']] AS r MATCH (o:Officer {name:r[0]}),(e:Entity {name:r[1]}) CREATE (o)-[:OFFICER_OF {role:r[2]}]->(e)
WITH count(*) AS d
UNWIND [['MOSSACK & CO','ACME HOLDINGS LTD'],['MOSSACK & CO','BLUE OCEAN INC.'],['MOSSACK & CO','CORAL TRADING SA'],['HARBOUR LAW','DELTA VENTURES']] AS r MATCH (o:Intermediary {name:r[0]}),(e:Entity {name:r[1]}) CREATE (o)-[:INTERMEDIARY_OF]->(e)
WITH count(*) AS d
UNWIND [['John Smith','12 High Street, London'],['Maria Lopez','Calle Mayor 3, Madrid'],['Anna Novak','Calle Mayor 3, Madrid']] AS r MATCH (o:Officer {name:r[0]}),(e:Address {address:r[1]}) CREATE (o)-[:REGISTERED_ADDRESS]->(e);
