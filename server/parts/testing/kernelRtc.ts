import { basename } from 'node:path';
import { errnoError } from '../../platform/errno.ts';
import type { AttributeFiles } from '../sleep/wakealarm.ts';

/**
 * For tests: the attributes of an RTC with the rules of the kernel (drivers/rtc/sysfs.c `wakealarm_show` and
 * `wakealarm_store`, drivers/rtc/interface.c `rtc_set_alarm`).
 */
export class KernelRtc implements AttributeFiles {
  /** Seconds of the RTC's own time. */
  now: number;
  /** null while disabled. */
  alarm: number | null = null;
  /** An RTC whose alarm has no seconds: the kernel cuts it to the full minute. */
  minutesOnly = false;
  /** The RTC cannot look further ahead than this, in seconds; it silently drops the rest. */
  reach = Number.POSITIVE_INFINITY;
  /** Everything that was written, in order. */
  readonly writes: string[] = [];
  fault: Error | undefined;

  constructor(now: number) {
    this.now = now;
  }

  async checkWritable(path: string): Promise<void> {
    if (this.fault) throw this.fault;
    assertKnown(path);
  }

  async read(path: string): Promise<string> {
    if (this.fault) throw this.fault;
    assertKnown(path);
    if (basename(path) === 'since_epoch') return `${this.now}\n`;
    this.#goOff();
    return this.alarm === null ? '' : `${this.alarm}\n`;
  }

  async write(path: string, text: string): Promise<void> {
    if (this.fault) throw this.fault;
    assertKnown(path);
    if (basename(path) !== 'wakealarm') throw errnoError('EACCES', `${path} is read-only`);
    this.writes.push(text);
    // kstrtos64: digits and at most one newline.
    if (!/^\d+\n?$/.test(text)) throw errnoError('EINVAL', `not a number: ${text}`);
    const wanted = Number(text);
    this.#goOff();
    if (wanted <= this.now) {
      this.alarm = null;
      return;
    }
    if (this.alarm !== null) throw errnoError('EBUSY', 'an alarm is active');
    const held = this.minutesOnly ? wanted - (wanted % 60) : wanted;
    this.alarm = held - this.now > this.reach ? null : held;
  }

  #goOff(): void {
    if (this.alarm !== null && this.alarm <= this.now) this.alarm = null;
  }
}

function assertKnown(path: string): void {
  if (!['since_epoch', 'wakealarm'].includes(basename(path))) throw errnoError('ENOENT', path);
}
