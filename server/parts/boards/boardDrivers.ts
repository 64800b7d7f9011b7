import { systemClock } from '../../platform/clock.ts';
import { systemDeviceIo, systemEventIo } from '../../platform/native/ioctl.ts';
import type { DriverNeeds, PartProfile } from '../profile.ts';
import type { BoardPart, BoardProfile } from './board.ts';
import { profiles } from './partProfiles.ts';

/** The drivers of a board, as its parts promise them in their `profile.ts`. */
export type BoardDrivers = {
  readonly [Part in BoardPart]: ReturnType<(typeof profiles)[Part]['driver']>;
};

/** Makes the driver of each part that the profile names. Nothing is opened yet. */
export function createBoardDrivers(
  board: BoardProfile,
  { log, desktop }: Pick<DriverNeeds, 'log' | 'desktop'>,
): BoardDrivers {
  const needs = { deviceIo: systemDeviceIo, eventIo: systemEventIo, clock: systemClock, log, desktop };
  const all: Readonly<Record<string, PartProfile>> = profiles;
  return Object.fromEntries(
    Object.entries(all).map(([part, profile]) => [part, profile.driver(board[part as BoardPart], needs)]),
  ) as BoardDrivers;
}
