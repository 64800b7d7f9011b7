import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from '@playwright/test';
import type { FaceplateProcess } from '../server/testing/faceplateProcess.ts';

/** An answer of the HTTP API. */
export interface ApiAnswer {
  readonly status: number;
  // The shape is what each test asserts.
  readonly body: Record<string, unknown>;
}

/** Calls the API of a service with its token: GET without a body, POST with one. */
export type Api = (path: string, body?: object, init?: RequestInit) => Promise<ApiAnswer>;

/** The API of a service that is ready. */
export async function apiOf(service: FaceplateProcess): Promise<Api> {
  const url = await service.url;
  const token = await service.token();
  return async (path, body, init) => {
    const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const response = await fetch(`${url}${path}`, { ...post, headers, ...init });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
}

/** A failure as callers see it: its status, its code and one sentence, and the field if one is given; nothing else. */
export function failure(status: number, code: string, sentence = /^[A-Z].*\.$/, field?: string): ApiAnswer {
  const error = expect.stringMatching(sentence);
  return { status, body: field === undefined ? { error, code } : { error, code, field } };
}

/** A request whose every header the test chooses. */
interface SentRequest {
  readonly host?: string | undefined;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
}

/** Calls a service by node:http: fetch lets no caller choose Host and Origin. */
export async function send(service: FaceplateProcess, sent: SentRequest, body?: string): Promise<ApiAnswer> {
  const { port } = new URL(await service.url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', ...sent, port, agent: false }, (response) =>
      text(response).then((answer) => {
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(answer) });
      }, reject),
    );
    outgoing.on('error', reject).end(body);
  });
}
