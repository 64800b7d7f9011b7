import { addressCases, descriptionCases, trackCases } from './descriptionCases.ts';
import type { FieldCase } from './fieldCase.ts';
import { packetCases, timeCases } from './packetCases.ts';
import { pictureCases } from './pictureCases.ts';
import { keepAliveCases, loginCases, messageCases } from './sessionCases.ts';

/** All field cameras, by what is odd about them. */
export const fieldCases: Readonly<Record<string, readonly FieldCase[]>> = {
  Pictures: pictureCases,
  Timestamps: timeCases,
  'Packets and channels': packetCases,
  'Keep-alives': keepAliveCases,
  Logins: loginCases,
  Messages: messageCases,
  Descriptions: descriptionCases,
  Tracks: trackCases,
  Addresses: addressCases,
};

export const allFieldCases: readonly FieldCase[] = Object.values(fieldCases).flat();
