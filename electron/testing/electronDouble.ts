import type {
  BaseWindowConstructorOptions,
  Display,
  IpcMain,
  IpcMainEvent,
  WebContentsViewConstructorOptions,
} from 'electron';
import type { ElectronApi } from '../electronApi.ts';
import { FakeApp } from './fakeApp.ts';
import { eventOf, FakeEmitter } from './fakeEmitter.ts';
import type { FakeFrame, FakePage } from './fakePage.ts';
import { FakeSession } from './fakeSession.ts';
import { FakeView, FakeWindow } from './fakeWindow.ts';

// Each class implements what the host uses of the real one, by the types of electron.d.ts: a call with other arguments does
// not compile.

type UsedIpc = Pick<IpcMain, 'on' | 'off'>;

class FakeIpc extends FakeEmitter<Record<string, [IpcMainEvent, ...unknown[]]>, IpcMain> implements UsedIpc {
  /** A message of a frame, as Electron delivers it. @returns the answer to one that waits for it. */
  send(sender: FakePage, senderFrame: FakeFrame | null, channel: string, ...args: unknown[]): unknown {
    return this.ask(sender, senderFrame, channel, ...args).returnValue;
  }

  /** As `send`, for a message that may be answered later. @returns its event, which gets the answer */
  ask(
    sender: FakePage,
    senderFrame: FakeFrame | null,
    channel: string,
    ...args: unknown[]
  ): { returnValue: unknown } {
    const [processId, frameId] = senderFrame?.ids ?? [0, 0];
    const event = {
      ...{ sender, senderFrame, processId, frameId },
      returnValue: undefined,
    } as unknown as IpcMainEvent;
    this.listeners.emit(channel, event, ...args);
    return event;
  }
}

/** The parts of Electron that the host uses; they record all calls. */
export class ElectronDouble {
  readonly app = new FakeApp();
  readonly ipcMain = new FakeIpc();
  readonly sessions = new Map<string, FakeSession>();
  readonly windows: FakeWindow[] = [];
  readonly views: FakeView[] = [];
  /** The page that has the keys. */
  focused: FakePage | undefined;
  /** Size of the screen. */
  screen = { width: 1280, height: 800 };
  readonly blockers = new Map<number, string>();
  menu: unknown = 'the menu of Electron';

  /** The API as the host takes it. */
  get api(): ElectronApi {
    const { app, ipcMain } = this;
    const double = this;
    return {
      app: app.real,
      ipcMain: ipcMain as unknown as IpcMain,
      BaseWindow: class extends FakeWindow {
        constructor(options?: BaseWindowConstructorOptions) {
          super(options);
          double.windows.push(this);
        }

        static getAllWindows(): FakeWindow[] {
          return double.windows.filter(({ isGone }) => !isGone);
        }
      } as unknown as ElectronApi['BaseWindow'],
      WebContentsView: class extends FakeView {
        constructor(options?: WebContentsViewConstructorOptions) {
          super(options);
          this.page.hasKeys = () => double.focused === this.page;
          this.page.takeKeys = () => {
            double.focused = this.page;
          };
          double.views.push(this);
          app.listeners.emit('web-contents-created', eventOf(), this.webContents);
        }
      } as unknown as ElectronApi['WebContentsView'],
      Menu: {
        setApplicationMenu: (menu: Parameters<ElectronApi['Menu']['setApplicationMenu']>[0]) => {
          this.menu = menu;
        },
      } as ElectronApi['Menu'],
      powerSaveBlocker: {
        start: (type) => {
          const id = this.blockers.size + 1;
          this.blockers.set(id, type);
          return id;
        },
        stop: (id) => this.blockers.delete(id),
      } satisfies Pick<ElectronApi['powerSaveBlocker'], 'start' | 'stop'> as ElectronApi['powerSaveBlocker'],
      screen: {
        getPrimaryDisplay: () => ({ size: this.screen }) as Display,
      } satisfies Pick<ElectronApi['screen'], 'getPrimaryDisplay'> as ElectronApi['screen'],
      session: {
        fromPartition: (partition: string) => {
          const found = this.sessions.get(partition) ?? new FakeSession();
          this.sessions.set(partition, found);
          return found.real;
        },
      } as ElectronApi['session'],
    };
  }

  /** The views whose pages run, oldest first. */
  get open(): FakeView[] {
    return this.views.filter(({ isGone }) => !isGone);
  }

  /** The window that is open. */
  get window(): FakeWindow | undefined {
    return this.windows.find(({ isGone }) => !isGone);
  }
}
