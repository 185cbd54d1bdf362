"""The engines that dalembert is compared with, one file each."""
