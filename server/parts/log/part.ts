import { definePart } from '../part.ts';
import { logCommands } from './contract.ts';

/** The log of the service, for those who follow it. */
export const logFeed = definePart('logFeed', ({ logTail }) => logTail).answering(logCommands, (tail) => ({
  'log.read': ({ level }) => tail.feed(level),
}));
