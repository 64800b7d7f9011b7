// The least possible work on a call's packets: receive and forward them, unread and unencrypted. By IPC it gets, for
// each port, the target of its packets, and answers with the port's number.
import { createSocket } from 'node:dgram';

process.on('message', (target: number) => {
  const socket = createSocket({ type: 'udp4', lookup: (host, _options, done) => done(null, host, 4) });
  socket.on('message', (data) => socket.send(data, target, '127.0.0.1'));
  socket.bind(0, '127.0.0.1', () => process.send?.(socket.address().port));
});
