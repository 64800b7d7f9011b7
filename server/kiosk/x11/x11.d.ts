/** The part of the package `x11` that we use; it comes without types. */
declare module 'x11' {
  type Done<T> = (error: Error | null, answer: T) => void;

  export interface XEvent {
    readonly name?: string;
    readonly wid: number;
    /** ConfigureNotify and ReparentNotify: the window itself. */
    readonly wid1?: number;
    readonly mode?: number;
    /** CreateNotify: where and how large it is, and whether window managers leave it alone. */
    readonly parent?: number;
    readonly width?: number;
    readonly height?: number;
    readonly overrideRedirect?: boolean | number;
  }

  export interface XRequests {
    AllocID(): number;
    CreateWindow(
      id: number,
      parent: number,
      x: number,
      y: number,
      width: number,
      height: number,
      border: number,
      depth: number,
      kind: number,
      visual: number,
      values: Readonly<Record<string, number>>,
    ): void;
    ChangeWindowAttributes(id: number, values: Readonly<Record<string, number>>): void;
    DestroyWindow(id: number): void;
    ChangeSaveSet(insert: boolean, id: number): void;
    ReparentWindow(id: number, parent: number, x: number, y: number): void;
    MapWindow(id: number): void;
    UnmapWindow(id: number): void;
    ConfigureWindow(id: number, values: Readonly<Record<string, number>>): void;
    SetInputFocus(id: number, revertTo: number): void;
    SendEvent(id: number, propagate: number, mask: number, event: object): void;
    QueryTree(id: number, done: Done<{ root: number; parent: number; children: number[] }>): void;
    InternAtom(onlyIfThere: boolean, name: string, done: Done<number>): void;
    ChangeProperty(mode: number, id: number, name: number, type: number, bits: number, data: Buffer): void;
    DeleteProperty(id: number, name: number): void;
    GetProperty(
      remove: number,
      id: number,
      name: number,
      type: number,
      offset: number,
      length: number,
      done: Done<{ data: Buffer }>,
    ): void;
    GetInputFocus(done: Done<{ focus: number }>): void;
    GetWindowAttributes(id: number, done: Done<{ allEventMasks: number; mapState: number }>): void;
    GetSelectionOwner(name: number, done: Done<number>): void;
    ClearArea(id: number, x: number, y: number, width: number, height: number, exposures: number): void;
    require(extension: 'composite', done: Done<Composite>): void;
    on(name: 'event', act: (event: XEvent) => void): void;
  }

  /** The extension Composite, from version 0.3. */
  export interface Composite {
    GetOverlayWindow(root: number, done: Done<number>): void;
    ReleaseOverlayWindow(root: number): void;
  }

  export interface XConnection {
    on(name: 'error', act: (error: Error) => void): void;
    on(name: 'end', act: () => void): void;
    on(name: 'event', act: (event: XEvent) => void): void;
    terminate(): void;
  }

  interface XDisplay {
    readonly client: XRequests;
    /** The bits of a window's number that its program chooses; the others are the same for all its windows. */
    readonly resource_mask: number;
    readonly screen: readonly { root: number; pixel_width: number; pixel_height: number }[];
  }

  /** CommonJS: a bundle that loads it later has the default only. */
  const x11: { createClient(options: { display?: string }, done: Done<XDisplay>): XConnection };
  export default x11;
}
