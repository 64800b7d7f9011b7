import type { TestContext } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { CallerPolicy } from '../calls/callerPolicy.ts';
import { Doors } from '../calls/doors.ts';
import { PanelList } from '../calls/panelList.ts';
import { SipService } from '../calls/service.ts';
import type { Panel, PanelDiscovery } from '../ports.ts';
import type { Door } from '../settingsContract.ts';
import { type SipEvent, sipEvent } from '../sipContract.ts';
import { FakeMediaFactory, FakePage } from './fakeMedia.ts';
import { FakeSignalling } from './fakeSignalling.ts';

class FakeDiscovery implements PanelDiscovery {
  onFound: (panel: Panel) => void = () => {};
  onLost: (panel: Panel) => void = () => {};
  own: Parameters<PanelDiscovery['start']>[0] | undefined;

  async start(own: Parameters<PanelDiscovery['start']>[0]): Promise<void> {
    this.own = own;
  }

  async stop(): Promise<void> {
    this.own = undefined;
  }
}

interface PanelOptions {
  readonly allow?: readonly string[];
  readonly autoAnswer?: boolean;
  readonly doors?: readonly Door[];
  readonly hasRegistrar?: boolean;
  readonly isEnabled?: boolean;
  readonly isPortBusy?: boolean;
  readonly dataDir?: string;
}

/** An intercom with a scripted remote party, recorded media, and a clock that stands still. */
export async function startIntercom(t: TestContext | undefined, options: PanelOptions = {}) {
  const dataDir = options.dataDir ?? temporaryFolder('sip');
  const clock = new FakeClock();
  const log = silentLogger();
  const bus = new EventBus(log);
  const told: SipEvent[] = [];
  bus.onAny((name, payload) => {
    if (name === 'sip') told.push(sipEvent.parse(payload));
  });
  const signalling = new FakeSignalling();
  if (options.isPortBusy)
    signalling.fails = new FaceplateError('PORT_BUSY', 'The port 5060 is in use by another program.');
  if (options.hasRegistrar) signalling.registrar = '192.168.1.2';
  const media = new FakeMediaFactory();
  const page = new FakePage();
  const discovery = new FakeDiscovery();
  const panels = new PanelList();
  const opened: string[] = [];
  const previews: string[] = [];
  const relay = {
    fails: undefined as Error | undefined,
    open: async (url: string) => {
      if (relay.fails !== undefined) throw relay.fails;
      opened.push(url);
    },
  };
  const preview = {
    open: async (url: string) => {
      previews.push(url);
      return `preview of ${url}`;
    },
    close: async () => void previews.splice(0),
  };
  const doors = options.doors ?? [];
  const policy = new CallerPolicy({
    allow: options.allow ?? [],
    allowLan: false,
    doors: Doors.addresses(doors),
    networks: () => [],
    panels: () => panels.hosts(),
  });
  let rings = 0;
  const parts = { signalling, media, page, discovery, relay, preview, policy, panels };
  const sip = new SipService({
    intercom: options.isEnabled === false ? null : { ...parts, port: () => 5060 },
    deviceName: 'Hall',
    autoAnswer: options.autoAnswer ?? false,
    doors,
    dataDir,
    events: bus,
    onRing: () => rings++,
    clock,
    log,
  });
  const clean = () => sip.stop();
  t?.after(clean);
  await sip.start();
  return {
    ...parts,
    sip,
    clock,
    bus,
    told,
    rings: () => rings,
    opened,
    previews,
    clean,
    status: async () => (await sip.getStatus()).callStatus,
    /** The call that was placed last. */
    placed: () => {
      const last = signalling.calls.at(-1);
      if (last === undefined) throw new Error('no call was placed');
      return last;
    },
    found: (name: string, host: string) => discovery.onFound({ id: name, name, host, port: 5060 }),
  };
}

export type TestIntercom = Awaited<ReturnType<typeof startIntercom>>;
