// The end of the projection of Graph Data Science that is called $name, if there is one.
CALL gds.graph.drop($name, false) YIELD graphName
RETURN graphName AS name
