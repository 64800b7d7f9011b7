// Types of window.container, Faceplate 0.1.0. Made from the contract by build/generate.ts; do not edit.

/** Codes of a rejected promise's `error.code`. */
export type ContainerErrorCode =
  | 'INVALID_REQUEST'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'PACKAGE_NOT_FOUND'
  | 'SESSION_NOT_FOUND'
  | 'PROJECT_NOT_FOUND'
  | 'REQUEST_TIMEOUT'
  | 'CONFLICT'
  | 'PORT_BUSY'
  | 'TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UNSUPPORTED_CODEC'
  | 'RATE_LIMITED'
  | 'INTERNAL'
  | 'SIP_DISABLED'
  | 'UNSUPPORTED_HARDWARE'
  | 'CAMERA_UNREACHABLE'
  | 'CAMERA_UNAUTHORIZED'
  | 'CAMERA_NOT_FOUND'
  | 'CAMERA_PROTOCOL'
  | 'HARDWARE_ERROR'
  | 'SESSION_LIMIT'
  | 'SHUTTING_DOWN'
  | 'CAMERA_TIMEOUT'
  | 'HARDWARE_TIMEOUT'
  | 'STORAGE_FULL';

export interface ContainerError extends Error {
  code: ContainerErrorCode;
  /** Path of the bad field, where there is one. */
  field?: string;
}

/** Fields of each action of `gpioBridge.postMessage`, besides `action`. */
export interface GpioActions {
  /** The state of the LED bar. */
  ledState: {
    action: 'ledState';
  };
  /** Switch the LED bar on or off; the colour is kept. */
  ledOn: {
    action: 'ledOn';
  };
  /** Switch the LED bar on or off; the colour is kept. */
  ledOff: {
    action: 'ledOff';
  };
  /** Set the colour of the LED bar; on or off is kept. */
  ledColor: {
    action: 'ledColor';
    red: number;
    green: number;
    blue: number;
  };
  /** Drive a pin or relay; the level is read back. */
  write: {
    action: 'write';
    /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 */
    pin: number;
    /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
    level: 0 | 1;
  };
  /** Read the level of a pin or relay. */
  read: {
    action: 'read';
    /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 */
    pin: number;
  };
  /** Send bytes; answered when they have left the port. */
  serialWrite: {
    action: 'serialWrite';
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
    baudRate: number;
    /** bytes as hex, upper or lower case, blanks allowed between bytes */
    hex: string;
  };
  /** Receive: returns 20 ms after the last byte, or empty after the timeout. */
  serialRead: {
    action: 'serialRead';
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
    baudRate: number;
    /** milliseconds */
    timeout: number;
  };
  /** Close a port; closing a closed port succeeds. */
  serialClose: {
    action: 'serialClose';
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
  };
  /** Play the outside world of a simulated part: change an input, or let the serial peer send. */
  simulate: {
    action: 'simulate';
    part: 'gpio';
    /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 */
    pin: number;
    /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
    level: 0 | 1;
  } | {
    action: 'simulate';
    part: 'serial';
    port: string;
    /** bytes as hex, upper or lower case, blanks allowed between bytes */
    hex: string;
  };
}

/** What each action answers. */
export interface GpioResults {
  ledState: {
    status: 'ok';
    state: {
      on: boolean;
      red: number;
      green: number;
      blue: number;
    };
  };
  ledOn: {
    status: 'ok';
    state: {
      on: boolean;
      red: number;
      green: number;
      blue: number;
    };
  };
  ledOff: {
    status: 'ok';
    state: {
      on: boolean;
      red: number;
      green: number;
      blue: number;
    };
  };
  ledColor: {
    status: 'ok';
    state: {
      on: boolean;
      red: number;
      green: number;
      blue: number;
    };
  };
  write: {
    status: 'ok';
    /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 */
    pin: number;
    /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
    level: 0 | 1;
    ok: true;
  };
  read: {
    status: 'ok';
    /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 */
    pin: number;
    /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
    level: 0 | 1;
    ok: true;
  };
  serialWrite: {
    status: 'ok';
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
    sent: number;
  };
  serialRead: {
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
    /** upper case, without blanks */
    hex: string;
    /** the same bytes as Latin-1 text */
    data: string;
  };
  serialClose: {
    status: 'ok';
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
  };
  simulate: {
    status: 'ok';
  };
}

/** Payloads of `container.on`. `snapshot` comes once, to the one who begins to listen to it. */
export interface ContainerEvents {
  snapshot: {
    led?: {
      on: boolean;
      red: number;
      green: number;
      blue: number;
    };
    gpio: Array<{
      /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 */
      pin: number;
      /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
      level: 0 | 1;
    }>;
    rtc?: {
      enabled: boolean;
      /** HH:MM, local time */
      onTime: string;
      /** HH:MM, local time */
      offTime: string;
      /** days of onTime; empty = every day */
      onDays: number[];
      /** read-only */
      nextOn: string | null;
      /** read-only */
      nextOff: string | null;
    };
    power: {
      state: 'awake' | 'asleep' | 'rebooting';
    };
    serial: Array<{
      /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
      port: string;
      state: 'open' | 'closed' | 'lost';
    }>;
    apps?: Array<{
      packageName: string;
      label: string;
      isSystem: boolean;
    }>;
    streams: Array<{
      id: string;
      /** without the password */
      url: string;
      state: 'connecting' | 'playing' | 'stalled';
      /** H264, or empty while connecting */
      codec: string;
      /** null: the camera sends none that WebRTC carries */
      audioCodec: string | null;
      width: number | null;
      height: number | null;
      /** bit/s over the last seconds */
      bitrate: number;
      packets: number;
      lost: number;
      /** ISO 8601 */
      startedAt: string;
      /** milliseconds from POST to the first video packet sent to the viewer */
      firstFrameMs: number | null;
      /** sessions that watch the same URL */
      viewers: number;
    }>;
    /** URL of the simulated board's camera; null on a real panel */
    camera: string | null;
  };
  led: {
    on: boolean;
    red: number;
    green: number;
    blue: number;
  };
  gpio: {
    /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 */
    pin: number;
    /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
    level: 0 | 1;
  };
  rtc: {
    enabled: boolean;
    /** HH:MM, local time */
    onTime: string;
    /** HH:MM, local time */
    offTime: string;
    /** days of onTime; empty = every day */
    onDays: number[];
    /** read-only */
    nextOn: string | null;
    /** read-only */
    nextOff: string | null;
  };
  power: {
    state: 'awake' | 'asleep' | 'rebooting';
  };
  serial: {
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
    state: 'open' | 'closed' | 'lost';
  };
  apps: Array<{
    packageName: string;
    label: string;
    isSystem: boolean;
  }>;
  stream: {
    id: string;
    /** without the password */
    url: string;
    state: 'connecting' | 'playing' | 'stalled';
    /** H264, or empty while connecting */
    codec: string;
    /** null: the camera sends none that WebRTC carries */
    audioCodec: string | null;
    width: number | null;
    height: number | null;
    /** bit/s over the last seconds */
    bitrate: number;
    packets: number;
    lost: number;
    /** ISO 8601 */
    startedAt: string;
    /** milliseconds from POST to the first video packet sent to the viewer */
    firstFrameMs: number | null;
    /** sessions that watch the same URL */
    viewers: number;
  };
}

export type LedState = ContainerEvents['led'];
export type PinState = ContainerEvents['gpio'];
export type SerialPortState = ContainerEvents['serial'];
export type StreamSession = ContainerEvents['stream'];

export interface GpioBridge {
  /**
   * Sends one action as JSON, such as `{"action":"write","pin":2,"level":1}`. The promise resolves with the answer; the
   * same answer, as a JSON string, reaches `onmessage` and the message listeners.
   */
  postMessage(json: string): Promise<GpioResults[keyof GpioResults]>;
  onmessage: ((event: { data: string }) => void) | null;
  addEventListener(type: 'message', listener: (event: { data: string }) => void): void;
  removeEventListener(type: 'message', listener: (event: { data: string }) => void): void;
}

/** Where a camera is shown: over the element with this id, or in fractions (0..1) of the screen. */
export type StreamPlace = { divId: string } | { rect: { x: number; y: number; w: number; h: number } };

/** Messages of `streamBridge.postMessage`. A stream begins muted. */
export type StreamAction =
  | ({ action: 'open'; id: string; url: string } & StreamPlace)
  | ({ action: 'resize'; id: string } & StreamPlace)
  | { action: 'close' | 'mute' | 'unmute'; id: string }
  | { action: 'volume'; id: string; volume: number }
  | { action: 'closeAll' };

export interface StreamResult {
  status: 'ok';
  action: StreamAction['action'];
  id?: string;
  /** Of closeAll: how many. */
  closed?: number;
}

/** Reaches `onmessage` and the message listeners, as a JSON string, when the state of a stream changes. */
export interface StreamStateMessage {
  action: 'state';
  id: string;
  state: 'connecting' | 'playing' | 'stalled' | 'failed' | 'closed';
  error?: string;
  code?: ContainerErrorCode;
}

export interface StreamBridge {
  /** Sends one action as JSON, such as `{"action":"open","id":"door","url":"rtsp://…","divId":"door-box"}`. */
  postMessage(json: string): Promise<StreamResult>;
  onmessage: ((event: { data: string }) => void) | null;
  addEventListener(type: 'message', listener: (event: { data: string }) => void): void;
  removeEventListener(type: 'message', listener: (event: { data: string }) => void): void;
}

export interface Container {
  readonly gpioBridge: GpioBridge;
  readonly streamBridge: StreamBridge;
  /** Send one UDP datagram to an address of the local network. */
  sendUdp(host: string, port: number, hex: string): Promise<{
    status: 'ok';
    host: string;
    port: number;
    /** bytes */
    sent: number;
  }>;
  /** Send one UDP datagram to an address of the local network. */
  sendUdpRaw(host: string, port: number, text: string): Promise<{
    status: 'ok';
    host: string;
    port: number;
    /** bytes */
    sent: number;
  }>;
  /** Start a package; the kiosk is in front again when it ends. */
  launchApp(packageName: string): Promise<{
    status: 'launched';
  }>;
  /** Remove a package; system packages are refused. */
  uninstallApp(packageName: string): Promise<{
    status: 'uninstalled';
  }>;
  /** Listens to an event; adding the same listener again changes nothing. */
  on<N extends keyof ContainerEvents>(event: N, listener: (payload: ContainerEvents[N]) => void): void;
  off<N extends keyof ContainerEvents>(event: N, listener: (payload: ContainerEvents[N]) => void): void;
  /** Whether real panel hardware is present. */
  readonly isOem: boolean;
  readonly version: string;
}

export interface MobileBridge {
  /** The installed packages. Resolves with JSON text: `apps` of the answer. */
  oemGetInstalledApps(): Promise<string>;
  /** Start a package; the kiosk is in front again when it ends. */
  oemLaunchApp(packageName: string): Promise<{
    status: 'launched';
  }>;
  /** Install a package file that lies below apps.installDir. */
  oemInstallApk(path: string): Promise<{
    status: 'installed';
    packageName: string;
  }>;
  /** Remove a package; system packages are refused. */
  oemUninstallApp(packageName: string): Promise<{
    status: 'uninstalled';
  }>;
}

declare global {
  interface Window {
    /** Undefined outside a Faceplate kiosk, in frames, and on foreign origins. */
    readonly container: Container | undefined;
    readonly MobileBridge: MobileBridge | undefined;
  }
}
