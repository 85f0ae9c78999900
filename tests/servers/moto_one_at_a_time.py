# SPDX-License-Identifier: BSL-1.0
"""moto's server, with one request at a time inside of it. By itself it has no lock: it sorts a page by keys that other
requests change meanwhile, and checks a condition some time before it writes. DynamoDB does neither, and what is tried
here rests on it. Connections are taken side by side.

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
