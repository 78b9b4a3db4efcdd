"""The island that runs inside the measured interpreter: standard library only, nothing of the orchestrator."""
