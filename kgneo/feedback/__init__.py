"""Feedback: what people say of answers, and how it becomes what everybody is answered by.

`said` is one piece of feedback and the file that keeps it until somebody looks at it, `give` makes one of an answer and
what is said of it, `durable` has its query graph speak of nodes by their names, `review` says what it would change, and
takes it into the file of terms as a verified question.
"""
