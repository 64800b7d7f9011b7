import type { App, CommandLine, ProcessMetric } from 'electron';
import type { AppEvents } from './electronEvents.ts';
import { FakeEmitter } from './fakeEmitter.ts';

// Each class implements what the host uses of the real one, by the types of electron.d.ts: a call with other arguments does
// not compile.

type UsedApp = Pick<
  App,
  | 'on'
  | 'off'
  | 'whenReady'
  | 'getAppMetrics'
  | 'enableSandbox'
  | 'requestSingleInstanceLock'
  | 'setName'
  | 'setPath'
  | 'userAgentFallback'
  | 'isPackaged'
  | 'exit'
>;

export class FakeApp extends FakeEmitter<AppEvents, App> implements UsedApp {
  /** Calls in their order. */
  readonly calls: string[] = [];
  isFirst = true;
  metrics: (Pick<ProcessMetric, 'type' | 'pid'> & { cpu?: Partial<ProcessMetric['cpu']> })[] = [];
  readonly commandLine = {
    appendSwitch: (name: string, value?: string) =>
      void this.calls.push(value === undefined ? name : `${name}=${value}`),
    hasSwitch: (name: string) => this.given.has(name),
    getSwitchValue: (name: string) => this.given.get(name) ?? '',
  } as CommandLine;
  /** Switches of the command line that Electron was started with. */
  readonly given = new Map<string, string>();
  name = 'Electron';
  readonly paths = new Map<string, string>();
  userAgentFallback = 'Mozilla/5.0';

  readonly isPackaged = false;
  /** Ends the process, where it is the double of a whole program. */
  exit: (status?: number) => void = () => {};
  /** When Electron is ready. */
  ready: Promise<void> = Promise.resolve();

  whenReady(): Promise<void> {
    this.calls.push('whenReady');
    return this.ready;
  }

  getAppMetrics(): ProcessMetric[] {
    return this.metrics.map((metric) => ({ cpu: {}, ...metric })) as ProcessMetric[];
  }

  setName(name: string): void {
    this.name = name;
  }

  setPath(name: string, path: string): void {
    this.calls.push(name);
    this.paths.set(name, path);
  }

  enableSandbox(): void {
    this.calls.push('enableSandbox');
  }

  requestSingleInstanceLock(): boolean {
    this.calls.push('lock');
    return this.isFirst;
  }

  get real(): App {
    return this as unknown as App;
  }
}
