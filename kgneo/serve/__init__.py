"""Answering over HTTP: a page, an API and a chat endpoint over one graph.

server        listens, and stops in order
application   the routes and the guard put together
guard         who may ask, how much and how often
api, chat     the routes: HTTP and JSON on the outside, `service` on the inside
service       what can be asked for, without HTTP
threads       questions in threads, bounded in number and time, ended when whoever asked has gone
supervisor    several processes that answer at one address
shared        what these count together, so that bounds hold for all of them
"""
