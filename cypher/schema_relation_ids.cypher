// The ids of the first and of the last $part relationships of one type, in storage order.
MATCH ()-[r:`{relation}`]->()
WITH r ORDER BY r LIMIT $part
WITH collect(elementId(r)) AS first
MATCH ()-[r:`{relation}`]->()
WITH first, r ORDER BY r DESC LIMIT $part
RETURN first, collect(elementId(r)) AS last
