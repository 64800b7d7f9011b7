import { errnoError } from '../../platform/errno.ts';
import type { GcmCipher } from '../../webrtc/driver.ts';
import { loadProgram } from './program.ts';

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

/** An address in the memory of libcrypto. */
type Pointer = unknown;

interface LibCrypto {
  readonly create: () => Pointer;
  readonly free: (context: Pointer) => void;
  readonly cipher: () => Pointer;
  readonly encryptInit: Init;
  readonly encrypt: Update;
  readonly encryptEnd: Final;
  readonly decryptInit: Init;
  readonly decrypt: Update;
  readonly decryptEnd: Final;
  readonly control: (context: Pointer, type: number, length: number, data: Buffer) => number;
}
type Init = (
  context: Pointer,
  cipher: Pointer,
  engine: null,
  key: Buffer | null,
  iv: Buffer | null,
) => number;
type Update = (context: Pointer, out: Buffer | null, written: Buffer, data: Buffer, length: number) => number;
type Final = (context: Pointer, out: Buffer, written: Buffer) => number;

let found: LibCrypto | undefined;

/**
 * The OpenSSL that Node contains and exports (EVP_EncryptInit(3)), called without Node's Cipher object for each packet:
 * that object and its three buffers cost six times as much as the encryption.
 * @throws an ENOSYS exception when the program has none (Electron has another library) or it fails on a known text.
 */
export function createNativeCipher(key: Buffer): GcmCipher {
  found ??= load();
  return new NativeGcmCipher(found, key);
}

class NativeGcmCipher implements GcmCipher {
  readonly #lib: LibCrypto;
  #sealing: Pointer;
  #opening: Pointer;
  #isClosed = false;
  /** Where libcrypto writes the number of written bytes, which always equals the number it was given. */
  readonly #written = Buffer.alloc(4);

  constructor(lib: LibCrypto, key: Buffer) {
    if (key.length !== KEY) throw new RangeError(`a key has ${KEY} bytes`);
    this.#lib = lib;
    this.#sealing = this.#context(lib.encryptInit, key);
    this.#opening = this.#context(lib.decryptInit, key);
  }

  seal(iv: Buffer, packet: Buffer, start: number, payload: Buffer): void {
    const end = start + payload.length;
    this.#check(iv, start);
    // Otherwise libcrypto would write outside this buffer.
    if (end + TAG > packet.length) throw new RangeError('the packet has no room for payload and tag');
    const lib = this.#lib;
    const context = this.#sealing;
    const behind = packet.subarray(end, end + TAG);
    if (
      lib.encryptInit(context, null, null, null, iv) !== 1 ||
      lib.encrypt(context, null, this.#written, packet, start) !== 1 ||
      lib.encrypt(context, packet.subarray(start), this.#written, payload, payload.length) !== 1 ||
      lib.encryptEnd(context, behind, this.#written) !== 1 ||
      lib.control(context, GET_TAG, TAG, behind) !== 1
    ) {
      throw new Error('libcrypto could not encrypt');
    }
  }

  open(iv: Buffer, packet: Buffer, start: number): Buffer | undefined {
    this.#check(iv, start);
    const end = packet.length - TAG;
    if (end < start) return undefined;
    const lib = this.#lib;
    const context = this.#opening;
    // The tag's place is scratch space for the end of the decryption, which writes nothing.
    const opened = Buffer.allocUnsafe(packet.length);
    packet.copy(opened, 0, 0, start);
    const isGenuine =
      lib.decryptInit(context, null, null, null, iv) === 1 &&
      lib.decrypt(context, null, this.#written, packet, start) === 1 &&
      lib.decrypt(context, opened.subarray(start), this.#written, packet.subarray(start), end - start) ===
        1 &&
      lib.control(context, SET_TAG, TAG, packet.subarray(end)) === 1 &&
      lib.decryptEnd(context, opened.subarray(end), this.#written) === 1;
    return isGenuine ? opened.subarray(0, end) : undefined;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lib.free(this.#sealing);
    this.#lib.free(this.#opening);
    this.#sealing = null;
    this.#opening = null;
  }

  #context(init: Init, key: Buffer): Pointer {
    const context = this.#lib.create();
    if (context === null || init(context, this.#lib.cipher(), null, key, null) !== 1) {
      throw new Error('libcrypto takes no key for AES-128-GCM');
    }
    return context;
  }

  /** A context that was freed must never be touched again. */
  #check(iv: Buffer, start: number): void {
    if (this.#isClosed) throw new Error('the cipher is closed');
    if (iv.length !== IV || start < 0) throw new RangeError(`an initialization vector has ${IV} bytes`);
  }
}

function load(): LibCrypto {
  let lib: LibCrypto;
  try {
    lib = bindAll();
  } catch (error) {
    throw errnoError('ENOSYS', 'OpenSSL cannot be called from here', error);
  }
  const cipher = new NativeGcmCipher(lib, Buffer.from(KNOWN.key, 'hex'));
  const header = Buffer.from(KNOWN.header, 'hex');
  const text = Buffer.from(KNOWN.text, 'hex');
  const packet = Buffer.concat([header, Buffer.alloc(text.length + TAG)]);
  const iv = Buffer.from(KNOWN.iv, 'hex');
  cipher.seal(iv, packet, header.length, text);
  const opened = cipher.open(iv, packet, header.length);
  cipher.close();
  if (
    packet.toString('hex', header.length) !== KNOWN.sealed ||
    !opened?.subarray(header.length).equals(text)
  ) {
    throw errnoError('ENOSYS', 'the OpenSSL that was found errs on a known text');
  }
  return lib;
}

function bindAll(): LibCrypto {
  const { bind } = loadProgram();
  const initOf = (name: string): Init =>
    bind(`int ${name}(void *context, void *cipher, void *engine, const void *key, const void *iv)`);
  const updateOf = (name: string): Update =>
    bind(`int ${name}(void *context, void *out, void *written, const void *data, int length)`);
  const finalOf = (name: string): Final => bind(`int ${name}(void *context, void *out, void *written)`);
  return {
    create: bind('void *EVP_CIPHER_CTX_new()'),
    free: bind('void EVP_CIPHER_CTX_free(void *context)'),
    cipher: bind('void *EVP_aes_128_gcm()'),
    encryptInit: initOf('EVP_EncryptInit_ex'),
    encrypt: updateOf('EVP_EncryptUpdate'),
    encryptEnd: finalOf('EVP_EncryptFinal_ex'),
    decryptInit: initOf('EVP_DecryptInit_ex'),
    decrypt: updateOf('EVP_DecryptUpdate'),
    decryptEnd: finalOf('EVP_DecryptFinal_ex'),
    control: bind('int EVP_CIPHER_CTX_ctrl(void *context, int type, int length, void *data)'),
  };
}
