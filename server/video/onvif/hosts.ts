import { createHash } from 'node:crypto';
import { FaceplateError } from '../../contract/errors.ts';
import { CallQueue } from '../../platform/async.ts';
import type { WallClock } from '../../platform/clock.ts';
import { Authenticator, type Credentials } from '../rtsp/auth.ts';
import { type CameraAccess, hostKey } from '../rtsp/cameraUrl.ts';
import { noAnswer } from '../rtsp/failure.ts';
import { loginRefused, loginWaits, loginWanted, malformedOnvif, onvifFault } from './failure.ts';
import { askCamera } from './http.ts';
import { type Addressing, envelope, readAnswer, type SoapAnswer, usernameToken } from './soap.ts';
import { childAt, findIn, textAt, type XmlElement } from './xml.ts';

/** Most bytes of an answer, and milliseconds for it. */
const MAX_ANSWER = 2 ** 20;
const ANSWER_MS = 5_000;
/** How long a login that a camera refused is not sent to it, in milliseconds: cameras lock users. */
export const REFUSED_MS = 60_000;
/** The clock of a camera is read again after this time, in milliseconds. */
const CLOCK_MS = 3_600_000;
/** Calls that wait for one host, and hosts that are remembered. */
const MAX_WAITING = 32;
const MAX_HOSTS = 64;
/** Answers to challenges of one call: a stale nonce, and a second algorithm. */
const MAX_CHALLENGES = 3;

/** Where the calls of a camera go, and its login. */
export interface OnvifTarget {
  readonly host: string;
  readonly port: number;
  readonly credentials: Credentials | undefined;
}

export interface SoapCall {
  /** Path and query of the service. */
  readonly path: string;
  readonly body: string;
  /** For the sentence of a fault, such as `GetProfiles`. */
  readonly what: string;
  readonly addressing?: Addressing;
  /** A call that waits for events: all of it has this time in milliseconds, and others do not wait for it. */
  readonly waitsMs?: number;
}

/** What is remembered of a login at a host. */
interface Login {
  /** Until when it is not sent; 0: it may be. */
  refusedUntil: number;
  /** How the host accepted it last. */
  form: 'token' | 'digest' | undefined;
  readonly authenticator: Authenticator;
}

interface Host {
  readonly queue: CallQueue;
  waiting: number;
  /** By how many milliseconds the camera's clock is ahead; undefined: not known. */
  off: number | undefined;
  clockReadAt: number;
  readonly logins: Map<string, Login>;
}

/**
 * Calls to cameras over SOAP: one at a time for each host and port, with the login in the form that the camera takes, and
 * none with a login that it refused within the last minute.
 */
export class OnvifHosts {
  readonly #access: CameraAccess;
  readonly #clock: WallClock;
  readonly #hosts = new Map<string, Host>();

  constructor(access: CameraAccess, clock: WallClock) {
    this.#access = access;
    this.#clock = clock;
  }

  /**
   * @returns the element inside of the answer's body
   * @throws FaceplateError CAMERA_*, FORBIDDEN; the reason of `signal`
   */
  async call(target: OnvifTarget, call: SoapCall, signal: AbortSignal): Promise<XmlElement> {
    const host = this.#hostOf(target);
    this.#mustNotWait(host, target);
    if (call.waitsMs !== undefined) return this.#send(host, target, call, signal);
    if (host.waiting >= MAX_WAITING) throw noAnswer('too many calls wait for it');
    host.waiting++;
    try {
      return await host.queue.run(signal, () => {
        // Another call may have been refused while this one waited.
        this.#mustNotWait(host, target);
        return this.#send(host, target, call, signal);
      });
    } finally {
      host.waiting--;
    }
  }

  /** By how many seconds the camera's clock is ahead, as it was read last; 0 where it says nothing of it. */
  clockOff(target: OnvifTarget): number {
    return (this.#hostOf(target).off ?? 0) / 1000;
  }

  /** Reads the camera's clock. */
  async readClock(target: OnvifTarget, signal: AbortSignal): Promise<void> {
    const host = this.#hostOf(target);
    await host.queue.run(signal, () => {
      this.#mustNotWait(host, target);
      return this.#readClock(host, target, signal);
    });
  }

  async #send(host: Host, target: OnvifTarget, call: SoapCall, signal: AbortSignal): Promise<XmlElement> {
    const isOld = this.#clock.now() - host.clockReadAt >= CLOCK_MS;
    if (isOld && target.credentials !== undefined) await this.#readClock(host, target, signal);
    const answer = await this.#loggedIn(host, target, call, signal);
    if (answer.result === undefined) throw onvifFault(call.what, answer.status);
    return answer.result;
  }

  /** Without a login, as the rules have it; some cameras ask for one even there. */
  async #readClock(host: Host, target: OnvifTarget, signal: AbortSignal): Promise<void> {
    let { result, isUnauthorized } = await this.#post(target, CLOCK_CALL, {}, signal);
    if (isUnauthorized && target.credentials !== undefined) {
      host.off = undefined;
      host.clockReadAt = this.#clock.now();
      ({ result, isUnauthorized } = await this.#loggedIn(host, target, CLOCK_CALL, signal));
    }
    host.off = offsetOf(result, this.#clock.wall());
    host.clockReadAt = this.#clock.now();
  }

  async #loggedIn(host: Host, target: OnvifTarget, call: SoapCall, signal: AbortSignal): Promise<Posted> {
    const { credentials } = target;
    if (credentials === undefined) {
      const answer = await this.#post(target, call, {}, signal);
      if (answer.isUnauthorized) throw loginWanted();
      return answer;
    }
    const login = this.#loginOf(host, credentials);
    const knownForm = login.form;
    if (knownForm !== 'digest') {
      const first = await this.#withToken(host, target, credentials, call, signal);
      if (!first.isUnauthorized) {
        login.form = 'token';
        return first;
      }
      // It took this form before: its clock may have been set since.
      if (knownForm === 'token') {
        const before = host.off;
        host.off =
          offsetOf((await this.#post(target, CLOCK_CALL, {}, signal)).result, this.#clock.wall()) ?? before;
        const again = await this.#withToken(host, target, credentials, call, signal);
        if (!again.isUnauthorized) return again;
      }
      if (!this.#takesChallenge(login, first)) throw this.#refuse(host, login);
    }
    for (let tries = 0; tries < MAX_CHALLENGES; tries++) {
      const authorization = login.authenticator.authorization('POST', call.path);
      const answer = await this.#post(
        target,
        call,
        authorization === undefined ? {} : { authorization },
        signal,
      );
      if (!answer.isUnauthorized) {
        login.form = 'digest';
        login.authenticator.accept();
        login.authenticator.begin();
        return answer;
      }
      if (!this.#takesChallenge(login, answer)) break;
    }
    throw this.#refuse(host, login);
  }

  #withToken(host: Host, target: OnvifTarget, login: Credentials, call: SoapCall, signal: AbortSignal) {
    const security = usernameToken(login, this.#clock.wall() + (host.off ?? 0));
    return this.#post(target, call, { security }, signal);
  }

  /** Digest alone: the password itself is never sent. */
  #takesChallenge(login: Login, { challenges }: Posted): boolean {
    const digests = challenges.filter((challenge) => /\bdigest\b/i.test(challenge));
    return digests.length > 0 && login.authenticator.challenge(digests);
  }

  #refuse(host: Host, login: Login): FaceplateError {
    login.refusedUntil = this.#clock.now() + REFUSED_MS;
    login.form = undefined;
    login.authenticator.begin();
    return loginRefused(host.off === undefined ? undefined : host.off / 1000);
  }

  async #post(
    { host, port }: OnvifTarget,
    { path, body, addressing, waitsMs }: SoapCall,
    { security, authorization }: { readonly security?: string; readonly authorization?: string },
    signal: AbortSignal,
  ): Promise<Posted> {
    const answer = askCamera(
      {
        place: { host, port, isSecure: false },
        access: this.#access,
        method: 'POST',
        path,
        headers: {
          'Content-Type': `application/soap+xml; charset=utf-8${addressing ? `; action="${addressing.action}"` : ''}`,
          ...(authorization !== undefined && { Authorization: authorization }),
        },
        body: envelope(body, security, addressing),
        timeoutMs: waitsMs ?? ANSWER_MS,
        signal,
      },
      MAX_ANSWER,
    );
    const {
      status,
      challenges,
      body: bytes,
    } = await answer.catch((error: unknown) => {
      throw error instanceof FaceplateError && error.code === 'TOO_LARGE'
        ? malformedOnvif('it is larger than 1 MiB')
        : error;
    });
    return { ...readAnswer(status, bytes.toString('utf8')), status, challenges };
  }

  /** @throws FaceplateError CAMERA_UNAUTHORIZED while a refused login rests */
  #mustNotWait(host: Host, { credentials }: OnvifTarget): void {
    const login = credentials && host.logins.get(loginKey(credentials));
    const left = (login?.refusedUntil ?? 0) - this.#clock.now();
    if (left > 0)
      throw loginWaits(Math.ceil(left / 1000), host.off === undefined ? undefined : host.off / 1000);
  }

  #loginOf(host: Host, credentials: Credentials): Login {
    const key = loginKey(credentials);
    const login = host.logins.get(key) ?? {
      refusedUntil: 0,
      form: undefined,
      authenticator: new Authenticator(credentials),
    };
    host.logins.delete(key);
    host.logins.set(key, login);
    if (host.logins.size > MAX_HOSTS) host.logins.delete(host.logins.keys().next().value!);
    return login;
  }

  #hostOf({ host, port }: OnvifTarget): Host {
    const key = `${hostKey(host)}:${port}`;
    const known = this.#hosts.get(key) ?? {
      queue: new CallQueue(),
      waiting: 0,
      off: undefined,
      clockReadAt: Number.NEGATIVE_INFINITY,
      logins: new Map(),
    };
    // The latest is the last; the one that was not asked for the longest time is forgotten first.
    this.#hosts.delete(key);
    this.#hosts.set(key, known);
    if (this.#hosts.size > MAX_HOSTS)
      for (const [other, { waiting }] of this.#hosts) {
        if (waiting > 0 || other === key) continue;
        this.#hosts.delete(other);
        break;
      }
    return known;
  }
}

interface Posted extends SoapAnswer {
  readonly status: number;
  readonly challenges: readonly string[];
}

/** Path of the device service (ONVIF Core Specification section 5.1.1). */
export const DEVICE_PATH = '/onvif/device_service';
const CLOCK_CALL = { path: DEVICE_PATH, body: '<tds:GetSystemDateAndTime/>', what: 'GetSystemDateAndTime' };

/** Names a login that is remembered, without its password. */
export const loginKey = ({ user, password }: Credentials): string =>
  createHash('sha256')
    .update(JSON.stringify([user, password]))
    .digest('hex');

/** Answers have whole seconds: on average the clock is half of one further. */
const HALF_SECOND_MS = 500;

/** By how many milliseconds the clock in an answer is ahead of ours; undefined where it says none. */
function offsetOf(answer: XmlElement | undefined, now: number): number | undefined {
  const utc = findIn(answer, 'UTCDateTime');
  const number = (...names: string[]) => Number.parseInt(textAt(utc, ...names), 10);
  const date = childAt(utc, 'Date');
  const camera = Date.UTC(
    number('Date', 'Year'),
    number('Date', 'Month') - 1,
    number('Date', 'Day'),
    number('Time', 'Hour'),
    number('Time', 'Minute'),
    number('Time', 'Second'),
  );
  return date === undefined || !Number.isFinite(camera) ? undefined : camera + HALF_SECOND_MS - now;
}
