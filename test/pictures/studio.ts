/** A script that runs in a page of its own: draws the pointer into screenshots, and finds what changes in them. */

/**
 * Defines `prepare(width, height, scale)` and `cut(png, pointer)`, which returns the smallest rectangle that has changed
 * since the last call: four bytes for each pixel, in base64. Pixels that stay are transparent in it, so a pointer that
 * moves costs hardly more than its outline. A width of 0: nothing has changed.
 */
export const STUDIO = `
  const POINTER = new Path2D("M0 0v18l4.5-4 3 7 3.5-1.5-3-6.8h6z");
  let canvas, draw, last, scale;

  globalThis.prepare = (width, height, scaled) => {
    canvas = new OffscreenCanvas(width, height);
    draw = canvas.getContext("2d", { willReadFrequently: true });
    scale = scaled;
  };

  globalThis.cut = async (png, pointer) => {
    const { width, height } = canvas;
    const bytes = Uint8Array.fromBase64(png);
    draw.drawImage(await createImageBitmap(new Blob([bytes], { type: "image/png" })), 0, 0);
    if (pointer) drawPointer(pointer);
    const now = draw.getImageData(0, 0, width, height);
    const pixels = new Uint32Array(now.data.buffer);
    const before = last;
    last = pixels.slice();
    let [left, top, right, bottom] = [width, height, -1, -1];
    for (let at = 0; at < pixels.length; at++) {
      if (before && pixels[at] === before[at]) {
        pixels[at] = 0;
        continue;
      }
      const x = at % width;
      const y = (at - x) / width;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
    if (right < 0) return { pixels: "", x: 0, y: 0, width: 0, height: 0 };
    const [cutWidth, cutHeight] = [right - left + 1, bottom - top + 1];
    const cut = new Uint32Array(cutWidth * cutHeight);
    for (let y = 0; y < cutHeight; y++) {
      const from = (top + y) * width + left;
      cut.set(pixels.subarray(from, from + cutWidth), y * cutWidth);
    }
    const base64 = new Uint8Array(cut.buffer).toBase64();
    return { pixels: base64, x: left, y: top, width: cutWidth, height: cutHeight };
  };

  function drawPointer({ x, y }) {
    draw.setTransform(scale, 0, 0, scale, x * scale, y * scale);
    draw.lineWidth = 2;
    draw.lineJoin = "round";
    draw.strokeStyle = "white";
    draw.fillStyle = "black";
    draw.stroke(POINTER);
    draw.fill(POINTER);
    draw.setTransform(1, 0, 0, 1, 0, 0);
  }
`;
