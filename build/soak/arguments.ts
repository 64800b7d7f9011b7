import { parseArgs } from 'node:util';

/** What `npm run soak` was asked for. */
export interface SoakOptions {
  readonly hours: number;
  /** Seconds between two samples. */
  readonly every: number;
  /** A panel on the network; undefined: one of our own on this desk. */
  readonly panel: { readonly address: string; readonly token: string } | undefined;
  /** RTSP address that a panel on the network reaches, and the broker that it is on with its `mqtt.id`. */
  readonly camera: string | undefined;
  readonly broker: { readonly url: string; readonly id: string } | undefined;
}

/** A sentence for the person at the keyboard. */
export class SoakError extends Error {}

/** Fewer samples than this judge nothing: each quarter of a run needs some. */
export const FEWEST_SAMPLES = 12;
const USUAL_EVERY_S = 60;

/**
 * Reads the arguments of `npm run soak`.
 * @param env FACEPLATE_TOKEN is the token of the panel where `--token` is not given: others see a command line
 * @throws SoakError with what is wrong with them
 */
export function readArguments(args: readonly string[], env: NodeJS.ProcessEnv): SoakOptions {
  const given = parse(args);
  const hours = number(given.hours, '--hours');
  if (hours === undefined) throw new SoakError('Say how long: npm run soak -- --hours 4.');
  const every = number(given.every, '--every') ?? USUAL_EVERY_S;
  if ((hours * 3600) / every < FEWEST_SAMPLES)
    throw new SoakError(
      `${hours} hours hold fewer than ${FEWEST_SAMPLES} samples: run longer, or give --every fewer seconds.`,
    );
  const { panel, camera, broker } = given;
  if (panel === undefined) {
    if (camera !== undefined || broker !== undefined || given.token !== undefined)
      throw new SoakError('--token, --camera and --broker belong to a --panel; a desk brings its own.');
    return { hours, every, panel: undefined, camera: undefined, broker: undefined };
  }
  const token = given.token ?? env.FACEPLATE_TOKEN;
  if (token === undefined) throw new SoakError('A panel needs its token: --token, or FACEPLATE_TOKEN.');
  if ((broker === undefined) !== (given['mqtt-id'] === undefined))
    throw new SoakError('--broker and --mqtt-id belong together: give both or none.');
  return {
    hours,
    every,
    panel: { address: panel, token },
    camera,
    broker: broker === undefined ? undefined : { url: broker, id: given['mqtt-id']! },
  };
}

function number(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new SoakError(`${name} ${text} is no number above 0.`);
  return value;
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = {
    hours: text,
    every: text,
    panel: text,
    token: text,
    camera: text,
    broker: text,
    'mqtt-id': text,
  };
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new SoakError((error as Error).message);
  }
}
