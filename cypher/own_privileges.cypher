// What whoever is connected may do, as the commands that granted it; a server without roles does not know this command.
SHOW USER PRIVILEGES AS COMMANDS YIELD command
RETURN command
