// picture.h: tensors as pictures to look at.
#ifndef BASE_SUMMARY_PICTURE_H_
#define BASE_SUMMARY_PICTURE_H_

#include "base/summary/event.h"
#include "base/torch.h"

namespace base {

/// uint8 [1 or 3, height, width] from one picture [height, width] or [1 or 3, height, width], or from several
/// [n, 1 or 3, height, width], in a grid as square as can be. Floats are taken as 0 to 1, and what is beyond is cut
/// off; booleans are black and white. Another shape is a usage Error that says what can be drawn.
torch::Tensor picture_of(const torch::Tensor& tensor);

/// Of what picture_of() gives.
EncodedImage encode_picture(const torch::Tensor& picture);

}  // namespace base

#endif  // BASE_SUMMARY_PICTURE_H_
