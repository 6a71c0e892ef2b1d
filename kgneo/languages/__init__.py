"""Languages: questions in German and Spanish, put into English words before they are read.

`german.toml` and `spanish.toml` hold the words that say how something is asked; the words of a graph come from its file
of terms. `others.toml` has words by which other languages are told. `tell` says which language a question is in,
`translate` puts it into English.
"""
