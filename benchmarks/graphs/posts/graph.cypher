UNWIND [['ada','Ada L','London',1500,true],['grace','Grace H','New York',800,true],['linus','Linus T','Helsinki',20,false],['dennis','Dennis R','New York',300,false]] AS r CREATE (:User {username:r[0],full_name:r[1],location:r[2],followers_count:r[3],verified:r[4]})
WITH count(*) AS d
UNWIND [[1,'Analytical engines rock','2023-01-02T10:00:00',40,'ada'],[2,'Compilers for all','2023-02-03T11:00:00',90,'grace'],[3,'Just a hobby','2022-08-25T20:57:08',5,'linus'],[4,'More engines','2023-03-01T08:00:00',12,'ada']] AS r MATCH (u:User {username:r[4]}) CREATE (u)-[:POSTED]->(:Tweet {tweet_id:r[0],text:r[1],created_at:datetime(r[2]),likes:r[3]})
WITH count(*) AS d
UNWIND [['ada','grace','2020-01-01'],['grace','ada','2020-02-01'],['linus','ada','2021-05-05'],['dennis','ada','2021-06-06'],['dennis','linus','2022-01-01']] AS r MATCH (a:User {username:r[0]}),(b:User {username:r[1]}) CREATE (a)-[:FOLLOWS {since:date(r[2])}]->(b)
WITH count(*) AS d
UNWIND [[1,'engines'],[4,'engines'],[2,'compilers'],[3,'hobby']] AS r MATCH (t:Tweet {tweet_id:r[0]}) MERGE (h:Hashtag {tag:r[1]}) CREATE (t)-[:HAS_HASHTAG]->(h)
WITH count(*) AS d
UNWIND [['grace',1],['linus',1],['ada',2],['dennis',2]] AS r MATCH (u:User {username:r[0]}),(t:Tweet {tweet_id:r[1]}) CREATE (u)-[:RETWEETED]->(t);
