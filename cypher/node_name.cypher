// The name of a node, as other queries have it in the place of `node.name`: the values of the properties that $display has
// for the first of its labels that has any, with blanks between; null where it has none of them. Properties that $hidden
// (null: nothing is hidden) has for another of its labels are none of them.
MATCH (node)
RETURN head([label IN labels(node) WHERE any(key IN $display[label] WHERE node[key] IS NOT NULL
           AND ($hidden IS NULL OR none(owner IN labels(node) WHERE owner + '.' + key IN $hidden))) |
         substring(reduce(name = '', key IN [key IN $display[label] WHERE node[key] IS NOT NULL
           AND ($hidden IS NULL OR none(owner IN labels(node) WHERE owner + '.' + key IN $hidden))] | name + ' ' + toStringOrNull(node[key])), 1)]) AS name
