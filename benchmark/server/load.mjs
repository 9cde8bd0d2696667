// A load generator in a thread of its own: keep-alive connections that send one request after the other, each as soon
// as the answer before it is whole. It knows just enough of HTTP to find the end of an answer with a Content-Length.
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { port, connections, durationMs, method, path, bodyOf, authorization } = workerData;
const end = Buffer.from('\r\n\r\n');
let answered = 0;
let sent = 0;

function request() {
  const n = sent++;
  const body = bodyOf === undefined ? '' : bodyOf.replaceAll('$n', `${n}-${process.pid}-${end.byteOffset}`);
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n${authorization === undefined ? '' : `Authorization: ${authorization}\r\n`}`;
  return body === ''
    ? `${head}\r\n`
    : `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function run() {
  return new Promise((resolve, reject) => {
    const until = performance.now() + durationMs;
    const socket = connect(port, '127.0.0.1', () => socket.write(request()));
    socket.setNoDelay(true);
    let pending = Buffer.alloc(0);
    let missing = -1;
    socket.on('data', (chunk) => {
      if (missing > 0) {
        missing -= chunk.length;
        if (missing > 0) return;
      } else {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
        const at = pending.indexOf(end);
        if (at < 0) return;
        const head = pending.toString('latin1', 0, at);
        if (!/^HTTP\/1\.1 2/.test(head)) return reject(new Error(head.split('\r\n')[0]));
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
        missing = at + 4 + length - pending.length;
        pending = Buffer.alloc(0);
        if (missing > 0) return;
      }
      missing = -1;
      answered += 1;
      if (performance.now() < until) socket.write(request());
      else socket.end(resolve);
    });
    socket.on('error', reject);
  });
}

const start = performance.now();
await Promise.all(Array.from({ length: connections }, run));
parentPort.postMessage({ perSecond: (answered * 1000) / (performance.now() - start) });
