import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Credentials } from '../rtsp/auth.ts';
import { malformedOnvif } from './failure.ts';
import { childAt, escaped, findIn, readXml, writeXml, type XmlElement } from './xml.ts';

/** Namespaces by their usual prefixes. */
const NAMESPACES = {
  tds: 'http://www.onvif.org/ver10/device/wsdl',
  trt: 'http://www.onvif.org/ver10/media/wsdl',
  tr2: 'http://www.onvif.org/ver20/media/wsdl',
  tptz: 'http://www.onvif.org/ver20/ptz/wsdl',
  tev: 'http://www.onvif.org/ver10/events/wsdl',
  wsnt: 'http://docs.oasis-open.org/wsn/b-2',
} as const;

/** A service of a camera, as GetServices names it. */
export type Service = 'tds' | 'trt' | 'tr2' | 'tptz' | 'tev';

/** The namespace of a service. */
export function namespaceOf(service: Service): string {
  return NAMESPACES[service];
}

const SCHEMA = 'http://www.onvif.org/ver10/schema';
const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';

/** A header with addresses, for calls that are sent to a subscription (WS-Addressing 1.0). */
export interface Addressing {
  readonly action: string;
  readonly to: string;
  /** Further headers that the receiver wants to have back. */
  readonly references?: string;
}

/** Longest text of what a receiver wants to have back in each call, in characters. */
const MAX_REFERENCES = 4_096;

/**
 * The headers that an address of an answer asks for: its reference parameters (WS-Addressing 1.0 SOAP Binding, section 2).
 * Some cameras tell their subscriptions apart by them alone.
 * @throws FaceplateError CAMERA_PROTOCOL
 */
export function referencesOf(endpoint: XmlElement | undefined): string {
  const parameters = childAt(endpoint, 'ReferenceParameters')?.children ?? [];
  const text = parameters.map((one) => writeXml(one, ' a:IsReferenceParameter="true"')).join('');
  if (text.length > MAX_REFERENCES) throw malformedOnvif('its names of a subscription are too long');
  return text;
}

/** Names of prefixes that occur in a body. */
const prefixesOf = (body: string): string =>
  Object.entries(NAMESPACES)
    .filter(([prefix]) => body.includes(`<${prefix}:`))
    .map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`)
    .join('');

/** A SOAP 1.2 request. @param security the header of the login, or none */
export function envelope(body: string, security = '', addressing?: Addressing): string {
  const addresses =
    addressing &&
    `<a:Action s:mustUnderstand="1">${escaped(addressing.action)}</a:Action><a:MessageID>urn:uuid:${randomUUID()}</a:MessageID>` +
      '<a:ReplyTo><a:Address>http://www.w3.org/2005/08/addressing/anonymous</a:Address></a:ReplyTo>' +
      `<a:To s:mustUnderstand="1">${escaped(addressing.to)}</a:To>${addressing.references ?? ''}`;
  const header = `${addresses ?? ''}${security}`;
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:tt="${SCHEMA}"${prefixesOf(body)}` +
    `${addressing ? ' xmlns:a="http://www.w3.org/2005/08/addressing"' : ''}>` +
    `${header === '' ? '' : `<s:Header>${header}</s:Header>`}<s:Body>${body}</s:Body></s:Envelope>`
  );
}

/**
 * WS-UsernameToken with a password digest: `Base64(SHA1(nonce + created + password))` (OASIS UsernameToken Profile 1.0).
 * @param now milliseconds since 1970 by the clock of the camera
 */
export function usernameToken({ user, password }: Credentials, now: number, nonce = randomBytes(16)): string {
  const created = new Date(now).toISOString();
  const digest = createHash('sha1').update(nonce).update(created).update(password).digest('base64');
  return (
    `<wsse:Security s:mustUnderstand="1" xmlns:wsse="${WSSE}-wssecurity-secext-1.0.xsd" xmlns:wsu="${WSSE}-wssecurity-utility-1.0.xsd">` +
    `<wsse:UsernameToken><wsse:Username>${escaped(user)}</wsse:Username>` +
    `<wsse:Password Type="${WSSE}-username-token-profile-1.0#PasswordDigest">${digest}</wsse:Password>` +
    `<wsse:Nonce EncodingType="${WSSE}-soap-message-security-1.0#Base64Binary">${nonce.toString('base64')}</wsse:Nonce>` +
    `<wsu:Created>${created}</wsu:Created></wsse:UsernameToken></wsse:Security>`
  );
}

/** What a camera answered. */
export interface SoapAnswer {
  /** The element inside of the body; undefined for a fault. */
  readonly result: XmlElement | undefined;
  /** It refuses the login, or the lack of one. */
  readonly isUnauthorized: boolean;
  /** Codes of a fault, without prefixes. */
  readonly fault: readonly string[];
}

/** Codes of faults that mean the login (ONVIF Core Specification, WS-Security). */
const LOGIN_FAULTS = ['NotAuthorized', 'FailedAuthentication', 'InvalidSecurity', 'InvalidSecurityToken'];

/**
 * Reads an answer. One without XML is a fault where its status is one.
 * @throws FaceplateError CAMERA_PROTOCOL for an answer of status 200 that is no SOAP
 */
export function readAnswer(status: number, body: string): SoapAnswer {
  const isRefused = status === 401 || status === 403;
  try {
    const envelope = readXml(body);
    const content = findIn(envelope, 'Body')?.children[0];
    if (envelope.name !== 'Envelope') throw malformedOnvif('it is no SOAP');
    if (content?.name !== 'Fault' && status < 300)
      return { result: content, isUnauthorized: false, fault: [] };
    const fault = codesOf(content);
    return {
      result: undefined,
      isUnauthorized: isRefused || fault.some((code) => LOGIN_FAULTS.includes(code)),
      fault,
    };
  } catch (error) {
    if (status < 300) throw error;
    return { result: undefined, isUnauthorized: isRefused, fault: [] };
  }
}

/** The texts of all `Value` elements of a fault; in SOAP 1.1 of `faultcode`. */
function codesOf(fault: XmlElement | undefined): string[] {
  if (fault === undefined) return [];
  const own = fault.name === 'Value' || fault.name === 'faultcode' ? [fault.text] : [];
  return [...own.map((text) => text.slice(text.indexOf(':') + 1)), ...fault.children.flatMap(codesOf)];
}
