"""Certificates: equations of motion with proofs that anyone can check without dalembert."""

from dalembert.certificates.certificate import Certificate, Code, certify

__all__ = ["Certificate", "Code", "certify"]
