"""Mutation testing: how many small changes of the checkers do the tests notice?"""
