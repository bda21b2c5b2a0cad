import type { AttachmentInfo } from "../api/types";
import { imageAddress } from "../state/draftImages";
import { IconButton } from "./Button";

interface Props {
  projectId: string;
  images: readonly AttachmentInfo[];
  /** Removes an image; without it they are only shown. */
  onRemove?: (image: AttachmentInfo) => void;
}

/** Thumbnails of a message's images. Each opens in full size. */
export function ImageStrip({ projectId, images, onRemove }: Props) {
  if (images.length === 0) return null;
  return (
    <ul className="images" aria-label="Images">
      {images.map((each) =>
        each.image ? (
          <li key={each.image.digest}>
            <a href={imageAddress(projectId, each.image.digest)} target="_blank" rel="noreferrer">
              <img
                src={imageAddress(projectId, each.image.digest)}
                alt={`${each.name}, ${each.about}`}
                width={each.image.width}
                height={each.image.height}
              />
            </a>
            {onRemove && (
              <IconButton
                icon="close"
                label={`Remove ${each.name}`}
                onClick={() => {
                  onRemove(each);
                }}
              />
            )}
          </li>
        ) : null,
      )}
    </ul>
  );
}
