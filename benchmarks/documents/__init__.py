"""A small invented world in documents, and how tools that make graphs from documents store it.

Each `with_*` builds the same world in a Neo4j, with the tool itself and a scripted model in the place of a language
model; `with_llm_graph_builder` writes what that application's own queries write, since it is no package.
"""
