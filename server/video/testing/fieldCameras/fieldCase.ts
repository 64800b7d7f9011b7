import type { Finding } from '../../media/mendedWords.ts';
import type { DescriptionForm } from './descriptions.ts';

/** How a field camera differs from a plain one. What is left out is as RFC 2326, 3550, 6184 and 8866 say. */
export interface Departures {
  readonly clip?: ClipName;
  /** Where the marker bit is: nowhere, on each packet, on each NAL unit, on parameter sets too, on each slice. */
  readonly marker?: 'never' | 'everyPacket' | 'everyNal' | 'sets' | 'slices';
  /** The SPS is sent behind the marker of the picture before, with that picture's timestamp. */
  readonly setsWithOldTimestamp?: true;
  /**
   * Start codes inside payloads: all of a key frame glued to its SPS, in fragments or in one packet; all of each picture
   * glued to its first unit; or before each NAL unit.
   */
  readonly annexB?: 'gluedFragments' | 'gluedPacket' | 'gluedPictures' | 'prefixed';
  /** How NAL units are packed: sets in a STAP-A, all in a STAP-A, all in FU-A (small ones with start and end bit). */
  readonly packing?: 'aggregatedSets' | 'aggregated' | 'fragments';
  /** Largest payload in bytes. */
  readonly payloadBytes?: number;
  /** NAL units before each picture, besides the parameter sets. */
  readonly extras?: readonly ('delimiter' | 'sei')[];
  /** Which pictures have parameter sets before them. Default: key frames. */
  readonly sets?: 'never' | 'first' | 'all';
  /** Timestamp of the first picture. */
  readonly firstTimestamp?: number;
  /** The clock of the timestamps is set, by this many seconds, before the 76th picture. */
  readonly jumpSeconds?: number;
  /** Every 20th picture has the timestamp of the one before. */
  readonly repeatsTimestamps?: true;
  /** Nothing comes for this long before the 76th picture, then all that was due at once, in milliseconds. */
  readonly stallMs?: number;
  /** RTP header extension (ONVIF) and padding. */
  readonly rtpHeader?: 'extension' | 'padding';
  /** The payload type of the video, where it is not the described one. */
  readonly payloadType?: number;
  /** Every tenth picture has a packet of this type, with the next sequence number. */
  readonly minorityType?: number;
  /** Bytes between frames: random ones, a frame of another channel, a request of the camera, an empty line. */
  readonly between?: 'noise' | 'otherChannel' | 'request' | 'emptyLine';
  /** Media that comes before the answer to PLAY. */
  readonly earlyMedia?: true;

  readonly description?: DescriptionForm;
  readonly lineEnd?: '\n';
  readonly blankHeader?: true;
  /** The body ends without its last line end. */
  readonly openEnd?: true;
  /** Added to the true Content-Length of the description. */
  readonly lengthError?: number;
  readonly headerNames?: 'lowerCase';
  readonly options?: 'silent' | 'closes' | 'refused' | 'allow';
  /** Methods of the answer to OPTIONS. */
  readonly methods?: string;
  /** The camera redirects DESCRIBE once, or for ever. */
  readonly redirects?: 'once' | 'endlessly';

  readonly login?: Login;
  /** Content-Base; `null` for none. `{at}` is host and port. */
  readonly base?: string | null;
  readonly control?: string;
  /** The one address that SETUP of the video works with. */
  readonly setupAddress?: string;
  /** Answers to SETUP. */
  readonly channels?: 'same' | 'others' | 'unnamed';
  readonly transport?: 'ssrcBehindSpace' | 'withoutTcp';
  readonly secondSession?: true;
  /** SETUP of the sound is answered so. */
  readonly soundStatus?: number;
  /** SETUP of the video over TCP is answered so. */
  readonly videoStatus?: number;

  /** Seconds of the session that the camera names. */
  readonly timeout?: number;
  readonly keepAlive?: KeepAlive;
  /** RTCP receiver reports: the connection ends after 10 s without one, or each gets a 400. */
  readonly reports?: 'wanted' | 'refused';
}

/** Which clip a camera plays: `sliced` has several slices a picture, `twoSizes` changes its SPS each second. */
export type ClipName = 'plain' | 'sliced' | 'twoSizes' | 'withoutIdr' | 'bFrames';

/** How a camera asks for user `admin`. */
export interface Login {
  /** `secret` by default. */
  readonly password?: string;
  readonly offers: readonly ('MD5' | 'MD5-qop' | 'SHA-256' | 'Basic' | 'unnamed')[];
  /** The offers that it takes. Default: all. */
  readonly takes?: readonly string[];
  /** How long a nonce is good for, in milliseconds. */
  readonly nonceMs?: number;
  /** It ends the connection with its 401. */
  readonly closes?: 'silently' | 'named';
  /** It asks from SETUP on, and not before. */
  readonly fromSetup?: true;
}

/** What keeps a session alive, and what ends it. */
export interface KeepAlive {
  /** The method that must come within `withinMs`, in milliseconds. */
  readonly needs?: string;
  readonly withinMs?: number;
  readonly diesOf?: string;
  readonly isSilent?: true;
}

/** What a viewer gets of a camera. */
export type Right =
  | {
      readonly plays: true;
      /** What the panel puts right, as `stream.inspect` tells it. */
      readonly mended: readonly Finding[];
      /** The camera may be lost this often before the panel knows how to treat it. */
      readonly losses: number;
    }
  | { readonly plays: false; readonly code: string };

/** One kind of camera, as recorded in the field or as a variant of it. */
export interface FieldCase {
  readonly name: string;
  /** What it does, for the table of docs/video.md. */
  readonly does: string;
  readonly departs: Departures;
  readonly right: Right;
  /** How long it is watched; 6 by default. */
  readonly seconds?: number;
  /** The version of the service since which it is so. */
  readonly since: string;
  /** It is one of those that `npm run bench -- field` plays beside other servers. */
  readonly besidePeers?: true;
  /** Not right yet: its test fails as soon as it passes. */
  readonly pending?: true;
}

/** Those that play. @param mended what the panel puts right for them */
export const plays = (...mended: Finding[]): Right => ({ plays: true, mended, losses: 0 });

/** Those that play once the panel has learned from a lost connection what they want. */
export const playsAfterLoss = (...mended: Finding[]): Right => ({ plays: true, mended, losses: 1 });

/** Those that cannot. @param code of `stream.inspect` */
export const refused = (code: string): Right => ({ plays: false, code });
