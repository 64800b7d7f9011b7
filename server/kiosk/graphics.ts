import type { GraphicsFacts } from '../contract/system.ts';

/** What a browser says of its graphics, as Chromium's chrome://gpu and Electron's `getGPUFeatureStatus` name it. */
interface GpuReport {
  /** The processor with its driver, where the browser names one. */
  readonly device: string;
  readonly features: Readonly<Record<string, string>>;
}

const MOST_CHARACTERS = 200;

/** How the browser really draws, in the words of the contract. */
export function graphicsOf({ device, features }: GpuReport): GraphicsFacts {
  const pages = wayOf(features.gpu_compositing);
  return {
    gpu: device.slice(0, MOST_CHARACTERS),
    pages: pages === 'off' ? 'software' : pages,
    webgl: wayOf(features.webgl),
    // Without a decoder of the board the processor decodes.
    video: wayOf(features.video_decode) === 'hardware' ? 'hardware' : 'software',
  };
}

/** Chromium's words: `enabled`, `enabled_readback`, `disabled_software`, `unavailable_software`, `disabled_off`. */
function wayOf(status = 'disabled_off'): 'hardware' | 'software' | 'off' {
  if (status.startsWith('enabled')) return 'hardware';
  return status.endsWith('software') ? 'software' : 'off';
}
