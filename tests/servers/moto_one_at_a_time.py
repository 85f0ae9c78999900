# SPDX-License-Identifier: BSL-1.0
"""moto's server, with one request at a time inside of it.

moto checks a condition and writes the item in two steps that no lock holds together: of two requests with one
condition both may succeed, and a page may be sorted by keys that change meanwhile. DynamoDB does neither, and what is
tried here rests on it. Connections are still taken side by side.

usage: moto_one_at_a_time.py PORT
"""
import sys
import threading

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import run_simple

app = DomainDispatcherApplication(create_backend_app)
lock = threading.Lock()


def one_at_a_time(environment, start_response):
    with lock:
        return list(app(environment, start_response))


run_simple("127.0.0.1", int(sys.argv[1]), one_at_a_time, threaded=True, request_handler=MotoRequestHandler)
