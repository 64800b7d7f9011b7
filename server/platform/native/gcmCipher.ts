import type { GcmCipher } from '../../webrtc/driver.ts';
import { errnoError } from '../errno.ts';
import { loadLibrary, loadProgram, type Program } from './program.ts';

const KEY = 16;
const IV = 12;
const TAG = 16;
/** EVP_CTRL_AEAD_GET_TAG and EVP_CTRL_AEAD_SET_TAG of openssl/evp.h. */
const GET_TAG = 0x10;
const SET_TAG = 0x11;
/** NIST's test case 4 of AES-128-GCM: the header is authenticated, the text encrypted. */
const KNOWN = {
  key: 'feffe9928665731c6d6a8f9467308308',
  iv: 'cafebabefacedbaddecaf888',
  header: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
  text:
    'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72' +
    '1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
  sealed:
    '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e' +
    '21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47',
};

/** An address in memory. Numbers cost half as much as buffers, whose place is looked up in each call. */
type Address = number;
const NULL: Address = 0;

/** What libcrypto reads and writes in each call, in one block: vector, number of written bytes, and an end that is empty. */
const WRITTEN = 16;
const END = 32;
/** Too large for V8's own heap, where objects move. */
const BLOCK = 256;

interface LibCrypto {
  readonly addressOf: (memory: Buffer) => Address;
  readonly create: () => Address;
  readonly free: (context: Address) => void;
  readonly cipher: () => Address;
  readonly encryptInit: Init;
  readonly encrypt: Update;
  readonly encryptEnd: Final;
  readonly decryptInit: Init;
  readonly decrypt: Update;
  readonly decryptEnd: Final;
  readonly control: (context: Address, type: number, length: number, data: Address) => number;
}
type Init = (context: Address, cipher: Address, engine: Address, key: Address, iv: Address) => number;
type Update = (context: Address, out: Address, written: Address, data: Address, length: number) => number;
type Final = (context: Address, out: Address, written: Address) => number;

/** Node contains OpenSSL and exports it. Electron contains another library and exports none: there it is the system's. */
const PLACES: readonly (() => Program)[] = [loadProgram, () => loadLibrary('libcrypto.so.3')];

/**
 * Ciphers of OpenSSL (EVP_EncryptInit(3)), called without Node's Cipher object for each packet: that object and its three
 * buffers cost six times as much as the encryption. Looked for at the first cipher.
 * @param places where OpenSSL may be; the first that is right on a known text is taken
 * @returns creates a cipher, or throws an ENOSYS exception when no place has such an OpenSSL
 */
export function nativeCiphers(places = PLACES): (key: Buffer) => GcmCipher {
  let found: LibCrypto | undefined;
  return (key) => {
    found ??= findLibCrypto(places);
    return new NativeGcmCipher(found, key);
  };
}

export const createNativeCipher = nativeCiphers();

class NativeGcmCipher implements GcmCipher {
  readonly iv: Buffer;
  readonly #lib: LibCrypto;
  readonly #block = Buffer.allocUnsafeSlow(BLOCK).fill(0);
  readonly #at: Address;
  #sealing: Address;
  #opening: Address;
  #isClosed = false;
  /** The memory of the last packet, and where it is: memory stays there for as long as it is referenced. */
  #memory: Buffer | undefined;
  #memoryAt: Address = NULL;

  constructor(lib: LibCrypto, key: Buffer) {
    if (key.length !== KEY) throw new RangeError(`a key has ${KEY} bytes`);
    this.#lib = lib;
    this.iv = this.#block.subarray(0, IV);
    this.#at = lib.addressOf(this.#block);
    this.#sealing = this.#context(lib.encryptInit, key);
    this.#opening = this.#context(lib.decryptInit, key);
  }

  seal(memory: Buffer, at: number, start: number, length: number): void {
    this.#check();
    // Otherwise libcrypto would write outside this memory.
    if (!(at >= 0 && start >= 0 && length >= 0 && at + start + length + TAG <= memory.length)) {
      throw new RangeError('the packet does not fit into the memory');
    }
    if (memory !== this.#memory) {
      this.#memoryAt = this.#lib.addressOf(memory);
      this.#memory = memory;
    }
    const lib = this.#lib;
    const context = this.#sealing;
    const block = this.#at;
    const packet = this.#memoryAt + at;
    const body = packet + start;
    if (
      lib.encryptInit(context, NULL, NULL, NULL, block) !== 1 ||
      lib.encrypt(context, NULL, block + WRITTEN, packet, start) !== 1 ||
      lib.encrypt(context, body, block + WRITTEN, body, length) !== 1 ||
      lib.encryptEnd(context, block + END, block + WRITTEN) !== 1 ||
      lib.control(context, GET_TAG, TAG, body + length) !== 1
    ) {
      throw new Error('libcrypto could not encrypt');
    }
  }

  open(packet: Buffer, start: number): Buffer | undefined {
    this.#check();
    const end = packet.length - TAG;
    if (!(start >= 0 && start <= end)) return undefined;
    const lib = this.#lib;
    const context = this.#opening;
    const block = this.#at;
    const opened = Buffer.allocUnsafe(packet.length);
    opened.set(packet);
    const copy = lib.addressOf(opened);
    const body = copy + start;
    const isGenuine =
      lib.decryptInit(context, NULL, NULL, NULL, block) === 1 &&
      lib.decrypt(context, NULL, block + WRITTEN, copy, start) === 1 &&
      lib.decrypt(context, body, block + WRITTEN, body, end - start) === 1 &&
      lib.control(context, SET_TAG, TAG, copy + end) === 1 &&
      lib.decryptEnd(context, block + END, block + WRITTEN) === 1;
    return isGenuine ? opened.subarray(0, end) : undefined;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lib.free(this.#sealing);
    this.#lib.free(this.#opening);
    this.#sealing = NULL;
    this.#opening = NULL;
    this.#memory = undefined;
  }

  /** A context that was freed must never be touched again, nor a block that was given to another thread. */
  #check(): void {
    if (this.#isClosed) throw new Error('the cipher is closed');
    if (this.iv.length !== IV) throw new RangeError(`an initialization vector has ${IV} bytes`);
  }

  #context(init: Init, key: Buffer): Address {
    const lib = this.#lib;
    const context = lib.create();
    // Through the block, which does not move and is not collected.
    this.#block.set(key, END);
    const isTaken = context !== NULL && init(context, lib.cipher(), NULL, this.#at + END, NULL) === 1;
    this.#block.fill(0, END);
    if (!isTaken) throw new Error('libcrypto takes no key for AES-128-GCM');
    return context;
  }
}

/** All functions come from one place: two libraries must never share a context. */
function findLibCrypto(places: readonly (() => Program)[]): LibCrypto {
  const reasons: string[] = [];
  for (const open of places) {
    try {
      const lib = bindAll(open());
      prove(lib);
      return lib;
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw errnoError('ENOSYS', `OpenSSL cannot be called from here: ${reasons.join('; ')}`);
}

/** @throws Error when the library errs on the known text */
function prove(lib: LibCrypto): void {
  const cipher = new NativeGcmCipher(lib, Buffer.from(KNOWN.key, 'hex'));
  const header = Buffer.from(KNOWN.header, 'hex');
  const text = Buffer.from(KNOWN.text, 'hex');
  const packet = Buffer.concat([header, text, Buffer.alloc(TAG)]);
  cipher.iv.set(Buffer.from(KNOWN.iv, 'hex'));
  cipher.seal(packet, 0, header.length, text.length);
  const opened = cipher.open(packet, header.length);
  cipher.close();
  if (packet.toString('hex', header.length) !== KNOWN.sealed || !opened?.subarray(header.length).equals(text))
    throw new Error('the OpenSSL that was found errs on a known text');
}

function bindAll({ bind, address }: Program): LibCrypto {
  const initOf = (name: string): Init =>
    bind(`int ${name}(uintptr_t context, uintptr_t cipher, uintptr_t engine, uintptr_t key, uintptr_t iv)`);
  const updateOf = (name: string): Update =>
    bind(`int ${name}(uintptr_t context, uintptr_t out, uintptr_t written, uintptr_t data, int length)`);
  const finalOf = (name: string): Final =>
    bind(`int ${name}(uintptr_t context, uintptr_t out, uintptr_t written)`);
  return {
    // No address of a program has more than 52 bits.
    addressOf: (memory) => Number(address(memory)),
    create: bind('uintptr_t EVP_CIPHER_CTX_new()'),
    free: bind('void EVP_CIPHER_CTX_free(uintptr_t context)'),
    cipher: bind('uintptr_t EVP_aes_128_gcm()'),
    encryptInit: initOf('EVP_EncryptInit_ex'),
    encrypt: updateOf('EVP_EncryptUpdate'),
    encryptEnd: finalOf('EVP_EncryptFinal_ex'),
    decryptInit: initOf('EVP_DecryptInit_ex'),
    decrypt: updateOf('EVP_DecryptUpdate'),
    decryptEnd: finalOf('EVP_DecryptFinal_ex'),
    control: bind('int EVP_CIPHER_CTX_ctrl(uintptr_t context, int type, int length, uintptr_t data)'),
  };
}
