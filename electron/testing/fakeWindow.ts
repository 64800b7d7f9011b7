import type {
  BaseWindow,
  BaseWindowConstructorOptions,
  Rectangle,
  View,
  WebContents,
  WebContentsView,
  WebContentsViewConstructorOptions,
} from 'electron';
import type { WindowEvents } from './electronEvents.ts';
import { FakeEmitter } from './fakeEmitter.ts';
import { FakePage } from './fakePage.ts';

// Each class implements what the host uses of the real one, by the types of electron.d.ts: a call with other arguments does
// not compile.

type UsedView = Pick<WebContentsView, 'webContents' | 'setBounds' | 'setVisible' | 'setBackgroundColor'>;

export class FakeView implements UsedView {
  readonly page = new FakePage();
  readonly options: WebContentsViewConstructorOptions;
  isVisible = true;
  bounds: Rectangle | undefined;

  constructor(options: WebContentsViewConstructorOptions = {}) {
    this.options = options;
  }

  get webContents(): WebContents {
    return this.page.real;
  }

  /** Addresses that were shown in it. */
  get loaded(): string[] {
    return this.page.loaded;
  }

  get isGone(): boolean {
    return this.page.isGone;
  }

  /** Its part of the window while it shows. */
  get shown(): string | undefined {
    const { x, y, width, height } = this.bounds ?? { x: 0, y: 0, width: 0, height: 0 };
    return this.isVisible ? `${x},${y} ${width}x${height}` : undefined;
  }

  setBounds(bounds: Rectangle): void {
    this.bounds = bounds;
  }

  setVisible(visible: boolean): void {
    this.isVisible = visible;
  }

  setBackgroundColor(): void {}
}

type UsedContent = Pick<View, 'addChildView' | 'removeChildView'>;
type UsedWindow = Pick<
  BaseWindow,
  'on' | 'contentView' | 'focus' | 'isFocused' | 'destroy' | 'getContentBounds'
>;

export class FakeWindow extends FakeEmitter<WindowEvents, BaseWindow> implements UsedWindow {
  readonly options: BaseWindowConstructorOptions;
  /** From below. */
  readonly views: FakeView[] = [];
  isGone = false;
  /** Whether it has the keys of the desktop. */
  hasKeys = true;
  size: { width: number; height: number };

  constructor(options: BaseWindowConstructorOptions = {}) {
    super();
    this.options = options;
    this.size = { width: options.width ?? 0, height: options.height ?? 0 };
  }

  get contentView(): View {
    const { views } = this;
    const content: UsedContent = {
      addChildView: (view, index = views.length) => void views.splice(index, 0, view as unknown as FakeView),
      removeChildView: (view) => void views.splice(views.indexOf(view as unknown as FakeView), 1),
    };
    return content as View;
  }

  getContentBounds(): Rectangle {
    return { x: 0, y: 0, ...this.size };
  }

  isFocused(): boolean {
    return this.hasKeys;
  }

  focus(): void {
    this.hasKeys = true;
    this.listeners.emit('focus', {} as never);
  }

  /** Views end with their window; the pages in them run on. */
  destroy(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.listeners.emit('closed');
  }
}
