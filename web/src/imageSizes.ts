/** Shrinks images to the size that models see anyway: a screenshot of a large screen would be refused for its size. */

export const MAX_SIDE_PIXELS = 2000;
const MAX_BYTES = 4_000_000;

/** The size to send it at; null if it stays as it is. */
export function scaledTo(width: number, height: number, bytes: number): { width: number; height: number } | null {
  const longest = Math.max(width, height);
  if (longest <= MAX_SIDE_PIXELS && bytes <= MAX_BYTES) return null;
  const factor = Math.min(1, MAX_SIDE_PIXELS / longest);
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

/** The image itself, or a smaller one. Other files are left for the server to refuse. */
export async function fitting(file: File): Promise<Blob> {
  const bitmap = await createImageBitmap(file).catch(() => null);
  const size = bitmap && scaledTo(bitmap.width, bitmap.height, file.size);
  if (!bitmap || !size) return file;
  const canvas = document.createElement("canvas");
  canvas.width = size.width;
  canvas.height = size.height;
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, size.width, size.height);
  const png = await asBlob(canvas, "image/png");
  return png.size <= MAX_BYTES ? png : asBlob(canvas, "image/jpeg");
}

function asBlob(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => {
        if (blob) resolve(blob);
        else reject(new Error("This image can't be made smaller here."));
      },
      type,
      0.85,
    );
  });
}
