import { constants } from 'node:fs';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import type { Level } from './contract.ts';

/**
 * The protocol of the vendor's gpio_control node: the argument is always the address of a 4-byte int that holds the
 * pin, the level stands in the request number, and the level read is the result of the call.
 */
const DRIVE_LOW = 0x40000000;
const DRIVE_HIGH = 0x40000001;
const READ_LEVEL = 0x80000000;

/** @throws an errno exception */
export function driveNode(io: DeviceIo, path: string, pin: number, level: Level): void {
  call(io, path, level === 1 ? DRIVE_HIGH : DRIVE_LOW, pin);
}

/** @throws an errno exception */
export function readNode(io: DeviceIo, path: string, pin: number): Level {
  return call(io, path, READ_LEVEL, pin) === 0 ? 0 : 1;
}

function call(io: DeviceIo, path: string, request: number, pin: number): number {
  const argument = Buffer.alloc(4);
  argument.writeInt32LE(pin);
  const fd = io.open(path, constants.O_RDWR);
  try {
    return io.ioctlPointer(fd, request, argument);
  } finally {
    io.close(fd);
  }
}
