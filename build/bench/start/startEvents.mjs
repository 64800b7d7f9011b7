// Loaded into the service by --import: prints when HTTP listens and how the browser's program comes up, as
// `start event <name> <milliseconds since 1970>`, each name once.
import childProcess from 'node:child_process';
import { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const seen = new Set();
const note = (name) => {
  if (seen.has(name)) return;
  seen.add(name);
  writeSync(2, `start event ${name} ${performance.timeOrigin + performance.now()}\n`);
};

const { listen } = net.Server.prototype;
net.Server.prototype.listen = function (...args) {
  this.once('listening', () => note('listens'));
  return listen.apply(this, args);
};

const { spawn } = childProcess;
childProcess.spawn = (program, args, options) => {
  const child = spawn(program, args, options);
  if (Array.isArray(args) && args.includes('--remote-debugging-pipe')) watch(child.stdio[3], child.stdio[4]);
  return child;
};
syncBuiltinESMExports();

/** Both directions of the browser's debugging pipe. */
function watch(commands, messages) {
  note('spawned');
  const { write } = commands;
  commands.write = (text, ...rest) => {
    if (/"method":"Page\.navigate"/.test(text)) note('navigates');
    return write.call(commands, text, ...rest);
  };
  const { push } = messages;
  messages.push = (chunk, ...rest) => {
    if (chunk !== null) note('answers');
    return push.call(messages, chunk, ...rest);
  };
}
