import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { FaceplateProcess } from '../server/testing/faceplateProcess.ts';
import { freeSipPort } from '../server/testing/sip/ports.ts';
import { temporaryFolder } from '../server/testing/temporaryFolder.ts';
import { intercomPage, kioskPage, kioskService } from './kioskService.ts';
import { phonePage } from './peers/phonePage.ts';
import { TestSite } from './peers/testSite.ts';

declare global {
  interface Window {
    /** The events that the phone page got by `container.sip.on`. */
    phoneTold: ({ name: string } & Record<string, unknown>)[];
    /** Its pictures of calls. */
    phoneVideos: Record<string, HTMLVideoElement>;
    /** The sound that the intercom page plays, since `listenIn` was called. */
    ear?: AnalyserNode;
    /** Its microphones and cameras since then. */
    lent?: MediaStreamTrack[];
    /** While it is set and not resolved, they do not open. */
    slowSources?: PromiseWithResolvers<void>;
  }
}

type Sip = NonNullable<Window['container']>['sip'];
type Method = Exclude<keyof Sip, 'on' | 'off'>;

/** Runs in the intercom page: taps the node that all its sounds pass, and records what it opens. */
function listenIn(): void {
  if (location.hostname !== 'intercom.localhost' || window.lent !== undefined) return;
  const connect = AudioNode.prototype.connect as (this: AudioNode, to: AudioNode) => AudioNode;
  AudioNode.prototype.connect = function (this: AudioNode, to: AudioNode) {
    const isSound = this instanceof GainNode || this instanceof MediaStreamAudioSourceNode;
    if (isSound && to instanceof GainNode && window.ear === undefined) {
      window.ear = new AnalyserNode(this.context, { fftSize: 8192, smoothingTimeConstant: 0 });
      connect.call(to, window.ear);
    }
    return connect.call(this, to);
  } as typeof AudioNode.prototype.connect;
  const { mediaDevices } = navigator;
  const getUserMedia = mediaDevices.getUserMedia.bind(mediaDevices);
  const lent: MediaStreamTrack[] = [];
  window.lent = lent;
  mediaDevices.getUserMedia = async (constraints) => {
    await window.slowSources?.promise;
    const stream = await getUserMedia(constraints);
    lent.push(...stream.getTracks());
    return stream;
  };
}

/** A panel with an intercom that shows the phone page, in real Chromium with its fake camera and microphone. */
export class SipPanel {
  readonly port: number;
  readonly service: FaceplateProcess;
  readonly #dataDir: string;
  readonly #site: TestSite;
  readonly #detach: (() => Promise<void>)[] = [];
  #page!: Page;
  #hidden!: Page;

  private constructor(port: number, service: FaceplateProcess, dataDir: string, site: TestSite) {
    this.port = port;
    this.service = service;
    this.#dataDir = dataDir;
    this.#site = site;
  }

  /** @param sip settings of `sip`, beside those that keep it on loopback */
  static async start(sip: object): Promise<SipPanel> {
    const port = await freeSipPort();
    const loopback = { host: '127.0.0.1', allow: ['127.0.0.1'], discoveryInterface: '127.0.0.1' };
    const settings = { sip: { enabled: true, port, discovery: false, ...loopback, ...sip } };
    const dataDir = temporaryFolder('sip-data');
    await chmod(dataDir, 0o711);
    await writeFile(join(dataDir, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
    const site = new TestSite({ '/': phonePage });
    await site.start();
    const service = kioskService({
      kiosk: true,
      dataDir,
      env: {
        FACEPLATE_KIOSK_URL: `${site.origin('phone.localhost')}/`,
        FACEPLATE_BRIDGE_ORIGINS: site.origin('phone.localhost'),
        FACEPLATE_KIOSK_FAKE_MEDIA: 'true',
        FACEPLATE_LOG_LEVEL: 'debug',
      },
    });
    const panel = new SipPanel(port, service, dataDir, site);
    try {
      await service.start();
      await panel.attach();
      return panel;
    } catch (error) {
      await panel.stop();
      throw error;
    }
  }

  /** Attaches to the pages that are there now, when they have begun; again after a crash. */
  async attach(): Promise<void> {
    await expect(async () => {
      const { page, detach } = await kioskPage(this.service);
      this.#detach.push(detach);
      await page.waitForFunction(() => window.phoneTold !== undefined, undefined, { timeout: 5_000 });
      this.#page = page;
      const hidden = await intercomPage(this.service);
      this.#detach.push(hidden.detach);
      this.#hidden = hidden.page;
      // Sounds that begin before the test attaches to the page count too.
      await hidden.page.context().addInitScript(listenIn);
      await hidden.page.evaluate(listenIn);
    }).toPass({ timeout: 30_000 });
  }

  get page(): Page {
    return this.#page;
  }

  get hidden(): Page {
    return this.#hidden;
  }

  /** Calls a method of `container.sip` in the page; a failure is answered as `{code, field}`. */
  sip<M extends Method>(method: M, ...args: Parameters<Sip[M]>): Promise<Awaited<ReturnType<Sip[M]>>> {
    return this.#page.evaluate(
      ([method, args]) => {
        const call = window.container!.sip[method] as (...args: unknown[]) => Promise<unknown>;
        return call(...args).catch((error) => ({ code: error.code, field: error.field }));
      },
      [method, args] as const,
    ) as Promise<Awaited<ReturnType<Sip[M]>>>;
  }

  async becomes(callStatus: string | RegExp): Promise<void> {
    const status = async () => (await this.sip('getStatus')).callStatus;
    if (typeof callStatus === 'string') await expect.poll(status).toBe(callStatus);
    else await expect.poll(status).toMatch(callStatus);
  }

  /** The events of this name that the page got since its load, or since `forget`. */
  heard(name: string): Promise<Record<string, unknown>[]> {
    return this.#page.evaluate((name) => window.phoneTold.filter((it) => it.name === name), name);
  }

  /** Idle, with an empty list of what was heard. */
  async rest(): Promise<void> {
    await this.sip('hangup');
    await this.becomes('idle');
    await this.#page.evaluate(() => {
      window.phoneTold.length = 0;
    });
  }

  /** Pictures that the page has shown of a target. */
  frames(target: 'remote' | 'local'): Promise<number> {
    return this.#page.evaluate(
      (target) => window.phoneVideos[target]?.getVideoPlaybackQuality().totalVideoFrames ?? 0,
      target,
    );
  }

  /** The loudest frequency that the panel plays now, in Hz; 0 for silence. */
  hertz(): Promise<number> {
    return this.#hidden.evaluate(() => {
      const { ear } = window;
      if (ear === undefined || ear.context.state !== 'running') return 0;
      const levels = new Float32Array(ear.frequencyBinCount);
      ear.getFloatFrequencyData(levels);
      const loudest = levels.reduce((best, level, index) => (level > levels[best]! ? index : best), 0);
      return levels[loudest]! < -70 ? 0 : (loudest * ear.context.sampleRate) / ear.fftSize;
    });
  }

  /** Which of microphone (`audio`), camera (`video`) and the sound device (`running`) the intercom page has open. */
  devices(): Promise<string[]> {
    return this.#hidden.evaluate(() => {
      const live = (window.lent ?? [])
        .filter(({ readyState }) => readyState === 'live')
        .map(({ kind }) => kind);
      return [...live, window.ear?.context.state]
        .filter((it) => it !== 'suspended' && it !== undefined)
        .sort();
    }) as Promise<string[]>;
  }

  /** Makes microphone and camera slow. @returns lets them open, and resolves when both have */
  async slowSources(): Promise<() => Promise<void>> {
    await this.#hidden.evaluate(() => {
      window.slowSources = Promise.withResolvers();
    });
    return () =>
      this.#hidden.evaluate(async () => {
        const { lent = [], slowSources } = window;
        const before = lent.length;
        slowSources?.resolve();
        while (lent.length < before + 2) await new Promise((resolve) => setTimeout(resolve, 10));
      });
  }

  /** Whether the panel is silent for that long. */
  async isSilentFor(milliseconds: number): Promise<boolean> {
    for (const end = Date.now() + milliseconds; Date.now() < end; )
      if ((await this.hertz()) > 0) return false;
    return true;
  }

  /** Kills the renderer of a page, as a fault in it would. */
  async crash(which: 'page' | 'hidden'): Promise<void> {
    const page = which === 'page' ? this.#page : this.#hidden;
    const session = await page.context().newCDPSession(page);
    const crashed = page.waitForEvent('crash');
    // There is no page left to answer.
    void session.send('Page.crash').catch(() => undefined);
    await crashed;
  }

  async stop(): Promise<void> {
    for (const detach of this.#detach.splice(0)) await detach();
    const { code, left } = await this.service.stop();
    await this.#site.stop();
    await rm(this.#dataDir, { recursive: true, force: true });
    expect({ code, left }, this.service.output).toEqual({ code: 0, left: [] });
  }
}
