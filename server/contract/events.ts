import { z } from 'zod';
import { allBrokerUses, allEvents, allStates } from './lists.ts';

/** Facts that are announced to pages (`container.on`) and to HTTP callers (`GET /api/remote/events`). */
export const events = allEvents;

export type EventName = keyof typeof events;
/** Sent only to those whom they concern: one page, or the callers of one token. */
export type PrivateEventName = 'udp' | 'tcp';
/** Sent to every listener. */
export type PublicEventName = Exclude<EventName, PrivateEventName>;
export type EventPayload<N extends EventName> = z.infer<(typeof events)[N]>;

/**
 * What becomes of an event on a broker: it is published as it is, or it is the new state of its part, or one of several
 * states of its part, distinguished by fields. `none`: it is not published.
 */
type BrokerUse<N extends EventName = EventName> =
  | 'event'
  | 'state'
  | 'none'
  | {
      /** The fields whose values distinguish them. */
      readonly stateBy: Field<N> | readonly Field<N>[];
      /** Those with these values are events all the same. */
      readonly eventWhere?: Partial<EventPayload<N>>;
      /** A field that the state leaves out. */
      readonly without?: Field<N>;
      /** The field that is the whole state. */
      readonly only?: Field<N>;
    };

type Field<N extends EventName> = Extract<keyof EventPayload<N>, string>;

/** The same for each event; one whose contract does not say it does not compile. */
export const brokerUses: { readonly [N in EventName]: BrokerUse<N> } = allBrokerUses;

/** Sent once, first, to everyone who begins to listen. Parts that the board lacks are left out. */
export const snapshot = z.strictObject({
  ...allStates,
  camera: z.string().nullable().describe("URL of the simulated board's camera; null on a real panel"),
});
export type Snapshot = z.infer<typeof snapshot>;
