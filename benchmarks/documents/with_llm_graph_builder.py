"""The world as the queries of llm-graph-builder write it: it is an application and no package."""

from __future__ import annotations

import hashlib

import neo4j

from benchmarks.documents.world import DOCUMENTS, said, text_of, vector_of
from kgneo.query.quoting import quote

DOCUMENT = """
MERGE (d:Document {fileName: $name})
SET d.fileSize = size($text), d.fileType = 'txt', d.status = 'Completed', d.url = '', d.awsAccessKeyId = '',
    d.fileSource = 'local file', d.createdAt = datetime(), d.updatedAt = datetime(), d.processingTime = 2.5,
    d.errorMessage = '', d.nodeCount = 9, d.relationshipCount = 12, d.model = 'openai_gpt_4o', d.is_cancelled = false,
    d.total_chunks = 1, d.processed_chunk = 1
MERGE (c:Chunk {id: $id})
SET c.text = $text, c.position = 1, c.length = size($text), c.fileName = $name, c.content_offset = 0,
    c.embedding = $vector
MERGE (c)-[:PART_OF]->(d)
MERGE (d)-[:FIRST_CHUNK]->(c)"""
ENTITY = """
MERGE (e:__Entity__:LABEL {id: $name})
SET e.description = $description, e.embedding = $vector
WITH e
MATCH (c:Chunk {id: $chunk})
MERGE (c)-[:HAS_ENTITY]->(e)"""
FACT = "MATCH (a:__Entity__ {id: $subject}), (b:__Entity__ {id: $object}) MERGE (a)-[:TYPE]->(b)"
SIMILAR = "MATCH (c:Chunk), (o:Chunk) WHERE c.fileName < o.fileName MERGE (c)-[:SIMILAR {score: 0.9}]->(o)"
COMMUNITIES = """
MERGE (c:__Community__ {id: '0-1'})
SET c.level = 0, c.title = 'Technology companies of Norway', c.community_rank = 1, c.weight = 3,
    c.summary = 'Halden Robotics and Arbor Labs build drones and sensors.'
MERGE (p:__Community__ {id: '1-1'})
SET p.level = 1, p.title = 'Norwegian business', p.summary = 'Companies in Norway.', p.community_rank = 1, p.weight = 3
MERGE (c)-[:PARENT_COMMUNITY]->(p)
WITH c
MATCH (e:__Entity__)
MERGE (e)-[:IN_COMMUNITY]->(c)"""


def build(uri: str, user: str, password: str) -> None:
    """Build the world in an empty database."""
    with neo4j.GraphDatabase.driver(uri, auth=(user, password)) as driver:
        for name in DOCUMENTS:
            text = text_of(name)
            id_ = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
            driver.execute_query(DOCUMENT, name=name, text=text, id=id_, vector=vector_of(text))
            things, facts = said(text)
            for item in things:
                driver.execute_query(
                    ENTITY.replace("LABEL", quote(item.kind)),
                    name=item.name,
                    description=item.description,
                    vector=vector_of(item.name),
                    chunk=id_,
                )
            for fact in facts:
                query = FACT.replace("TYPE", quote(fact.relation))
                driver.execute_query(query, subject=fact.subject, object=fact.object)
        driver.execute_query(SIMILAR)
        driver.execute_query(COMMUNITIES)
