import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';

/** Calls to a panel, as its owner; a Buffer is a zip file. Each throws an Error where the answer is not 200. */
export function callsOf(service: FaceplateProcess) {
  const call = async (method: string, path: string, body?: object) => {
    const headers: Record<string, string> = { authorization: `Bearer ${await service.token()}` };
    const isFile = body instanceof Uint8Array;
    if (body !== undefined) headers['content-type'] = isFile ? 'application/zip' : 'application/json';
    const url = `${await service.url}/api/${path}`;
    const answer = await fetch(url, {
      method,
      headers,
      ...(body && { body: isFile ? body : JSON.stringify(body) }),
    });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  return {
    get: (path: string) => call('GET', path),
    post: (path: string, body: object) => call('POST', path, body),
    patch: (path: string, body: object) => call('PATCH', path, body),
    remove: (path: string) => call('DELETE', path),
  };
}
