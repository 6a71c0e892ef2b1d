// By which name the server knows who is connected.
SHOW CURRENT USER YIELD user
RETURN user
