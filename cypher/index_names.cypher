// Nodes of one label by the digest of their folded name.
CREATE INDEX `{name}` IF NOT EXISTS
FOR (node:`{label}`) ON (node.kgneo_folded)
