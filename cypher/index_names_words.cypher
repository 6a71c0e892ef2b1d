// Nodes by words of their names, over all labels and the properties that name their nodes. All words count.
CREATE FULLTEXT INDEX kgneo_names IF NOT EXISTS
FOR (node:`{any_labels}`) ON EACH [node.`{keys}`]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}}
