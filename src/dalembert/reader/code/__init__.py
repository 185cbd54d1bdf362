"""Run the code that is exported: small interpreters of C, CUDA, Python and MATLAB.

They share no code with the writers. What is written is run here and compared before it is saved.
"""
